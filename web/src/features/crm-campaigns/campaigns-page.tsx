/** /crm/invii: the texts that went to several contacts, by mail or WhatsApp, and how far each is. */
import { useQuery } from '@tanstack/react-query'
import { SendIcon } from 'lucide-react'
import { Link } from 'react-router'

import { CrmHeader } from '@/components/crm-header'
import { EmptyState } from '@/components/empty-state'
import { LoadError } from '@/components/load-error'
import { PageTitle } from '@/components/page-title'
import { Button } from '@/components/ui/button'
import { Skeleton } from '@/components/ui/skeleton'
import { useUser } from '@/data/auth-context'
import { campaignsQuery } from '@/data/campaigns'
import { CampaignRow } from '@/features/crm-campaigns/campaign-row'
import { paths } from '@/paths'

export default function CampaignsPage() {
  const { id: userId } = useUser()
  const { data: campaigns, isPending, refetch } = useQuery(campaignsQuery(userId))
  return (
    <div className="column grid grid-cols-[minmax(0,1fr)] gap-4 py-6">
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
          text="Scegli i contatti, premi «Scrivi» o «WhatsApp», e qui segui chi ha ricevuto il tuo messaggio."
        >
          <Button asChild>
            <Link to={paths.crm}>Scegli i contatti</Link>
          </Button>
        </EmptyState>
      )}
      {campaigns && campaigns.length > 0 && (
        <ul aria-label="Invii" className="divide-y rounded-md border bg-card">
          {campaigns.map((campaign) => (
            <CampaignRow key={campaign.id} campaign={campaign} />
          ))}
        </ul>
      )}
    </div>
  )
}
