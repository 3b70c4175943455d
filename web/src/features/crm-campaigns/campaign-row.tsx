/** One text to several contacts: how far it is, what became of each, and its end before time. */
import { useState } from 'react'
import { toast } from 'sonner'

import { Badge } from '@/components/ui/badge'
import { Button } from '@/components/ui/button'
import { Progress } from '@/components/ui/progress'
import { type CampaignProgress, useCancelCampaign } from '@/data/campaigns'
import { useResumeCampaign } from '@/data/whatsapp-campaigns'
import { CampaignRecipients } from '@/features/crm-campaigns/campaign-recipients'
import { DataError } from '@/lib/server-errors'
import { fullDate } from '@/strings/dates'
import { whatsappCampaignRefusals } from '@/strings/whatsapp'

/** How far it is in words: mails are feminine, messages are not. */
function partsOf(campaign: CampaignProgress): string {
  const {
    recipients,
    waiting,
    sent,
    delivered,
    read,
    failed,
    uncertain,
    excluded,
    cancelled_at: cancelledAt,
  } = campaign
  const isMail = campaign.channel === 'email'
  return [
    `${sent} di ${recipients} ${isMail ? 'inviate' : 'inviati'}`,
    delivered > 0 && (delivered === 1 ? '1 consegnato' : `${delivered} consegnati`),
    read > 0 && (read === 1 ? '1 letto' : `${read} letti`),
    waiting > 0 && `${waiting} in attesa`,
    failed === 1 && `1 non ${isMail ? 'riuscita' : 'riuscito'}`,
    failed > 1 && `${failed} non ${isMail ? 'riuscite' : 'riusciti'}`,
    uncertain === 1 && `1 ${isMail ? 'incerta' : 'incerto'}`,
    uncertain > 1 && `${uncertain} ${isMail ? 'incerte' : 'incerti'}`,
    excluded > 0 && (excluded === 1 ? '1 escluso' : `${excluded} esclusi`),
    cancelledAt && 'annullato',
  ]
    .filter(Boolean)
    .join(' · ')
}

export function CampaignRow({ campaign }: { campaign: CampaignProgress }) {
  const cancel = useCancelCampaign()
  const resume = useResumeCampaign()
  const [isOpen, setOpen] = useState(false)
  const { id, channel, subject, recipients, waiting, sent, next_at: nextAt } = campaign
  const isMail = channel === 'email'
  const isPaused = Boolean(campaign.paused_at && waiting > 0)

  async function onCancel() {
    try {
      await cancel.mutateAsync(id)
      toast.success(`Annullato: ${isMail ? 'le email' : 'i messaggi'} in attesa non partono`)
    } catch {
      toast.error('Non siamo riusciti ad annullare: riprova')
    }
  }

  async function onResume() {
    try {
      await resume.mutateAsync(id)
      toast.success('L’invio riprende')
    } catch (error) {
      const refusal = error instanceof DataError && whatsappCampaignRefusals[error.code]
      toast.error(refusal || 'Non siamo riusciti a riprendere: riprova')
    }
  }

  return (
    <li className="grid grid-cols-[minmax(0,1fr)] gap-2 px-4 py-3 text-sm">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <div className="grid min-w-0 gap-0.5">
          <span className="flex flex-wrap items-center gap-2 font-medium break-words">
            {subject}
            {!isMail && <Badge variant="secondary">WhatsApp</Badge>}
          </span>
          <span className="text-muted-foreground">{fullDate(campaign.created_at)}</span>
        </div>
        <div className="flex flex-wrap gap-2">
          {isPaused && (
            <Button size="sm" disabled={resume.isPending} onClick={() => void onResume()}>
              Riprendi
              <span className="sr-only"> l’invio «{subject}»</span>
            </Button>
          )}
          {waiting > 0 && (
            <Button variant="outline" size="sm" disabled={cancel.isPending} onClick={() => void onCancel()}>
              {sent > 0 ? 'Ferma' : 'Annulla tutto'}
              <span className="sr-only"> l’invio «{subject}»</span>
            </Button>
          )}
        </div>
      </div>
      {isPaused && <p className="rounded-md bg-warning-tint px-3 py-2">In pausa. {campaign.pause_reason}</p>}
      <Progress value={sent} max={recipients} aria-label={`Avanzamento di «${subject}»`} />
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p role="status" className="tabular">
          {partsOf(campaign)}
          {nextAt && waiting > 0 && !isPaused && `. ${sent > 0 ? 'Il prossimo parte' : 'Parte'} ${fullDate(nextAt)}`}
        </p>
        <Button variant="ghost" size="sm" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Chiudi' : 'Contatti'}
          <span className="sr-only"> dell’invio «{subject}»</span>
        </Button>
      </div>
      {isOpen && <CampaignRecipients campaign={campaign} />}
    </li>
  )
}
