/** /crm/invii: the texts that went to several contacts, and how far each is. */
import { useQuery } from '@tanstack/react-query'
import { SendIcon } from 'lucide-react'
import { Link } from 'react-router'
import { toast } from 'sonner'

import { CrmHeader } from '@/components/crm-header'
import { EmptyState } from '@/components/empty-state'
import { LoadError } from '@/components/load-error'
import { PageTitle } from '@/components/page-title'
import { Button } from '@/components/ui/button'
import { Progress } from '@/components/ui/progress'
import { Skeleton } from '@/components/ui/skeleton'
import { useUser } from '@/data/auth-context'
import { type CampaignProgress, campaignsQuery, useCancelCampaign } from '@/data/campaigns'
import { paths } from '@/paths'
import { fullDate } from '@/strings/dates'

export default function CampaignsPage() {
  const { id: userId } = useUser()
  const { data: campaigns, isPending, refetch } = useQuery(campaignsQuery(userId))
  return (
    <div className="column grid gap-4 py-6">
      <PageTitle>Invii</PageTitle>
      <CrmHeader title="Invii" />
      {isPending && <Skeleton aria-busy className="h-40" />}
      {!isPending && !campaigns && (
        <LoadError text="Non riusciamo a leggere i tuoi invii in questo momento." onRetry={() => void refetch()} />
      )}
      {campaigns?.length === 0 && (
        <EmptyState
          icon={SendIcon}
          title="Ancora nessun invio"
          text="Scegli i contatti, premi «Scrivi» e qui segui chi ha ricevuto la tua email."
        >
          <Button asChild>
            <Link to={paths.crm}>Scegli i contatti</Link>
          </Button>
        </EmptyState>
      )}
      {campaigns && campaigns.length > 0 && (
        <ul aria-label="Invii" className="divide-y rounded-md border bg-card">
          {campaigns.map((campaign) => (
            <Row key={campaign.id} campaign={campaign} />
          ))}
        </ul>
      )}
    </div>
  )
}

function Row({ campaign }: { campaign: CampaignProgress }) {
  const cancel = useCancelCampaign()
  const { id, subject, recipients, excluded, waiting, sent, failed, uncertain, next_at: nextAt } = campaign
  const parts = [
    `${sent} di ${recipients} inviate`,
    waiting > 0 && `${waiting} in attesa`,
    failed > 0 && `${failed} non riuscite`,
    uncertain > 0 && `${uncertain} incerte`,
    excluded > 0 && `${excluded} esclusi`,
    campaign.cancelled_at && 'annullato',
  ]

  async function onCancel() {
    try {
      await cancel.mutateAsync(id)
      toast.success('Annullato: le email in attesa non partono')
    } catch {
      toast.error('Non siamo riusciti ad annullare: riprova')
    }
  }

  return (
    <li className="grid gap-2 px-4 py-3 text-sm">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <div className="grid min-w-0 gap-0.5">
          <span className="font-medium break-words">{subject}</span>
          <span className="text-muted-foreground">{fullDate(campaign.created_at)}</span>
        </div>
        {waiting > 0 && (
          <Button variant="outline" size="sm" disabled={cancel.isPending} onClick={() => void onCancel()}>
            Annulla tutto
            <span className="sr-only"> l’invio «{subject}»</span>
          </Button>
        )}
      </div>
      <Progress value={sent} max={recipients} aria-label={`Avanzamento di «${subject}»`} />
      <p role="status" className="tabular">
        {parts.filter(Boolean).join(' · ')}
        {nextAt && waiting > 0 && sent === 0 && `. La prima parte ${fullDate(nextAt)}`}
      </p>
    </li>
  )
}
