/** Who gets a template by WhatsApp, who does not and why, what it costs, and the approval. */
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import { toast } from 'sonner'

import { LoadError } from '@/components/load-error'
import { Departure } from '@/components/mail-fields'
import { Button } from '@/components/ui/button'
import { Skeleton } from '@/components/ui/skeleton'
import type { WhatsappTemplate } from '@/data/whatsapp'
import {
  useSendWhatsappCampaign,
  type WhatsappCampaign,
  type WhatsappCampaignPreview,
  whatsappCampaignPreviewQuery,
} from '@/data/whatsapp-campaigns'
import { Excluded, TypedCount } from '@/features/crm/campaign-parts'
import { DataError } from '@/lib/server-errors'
import { paths } from '@/paths'
import { contactCount, sendingWords } from '@/strings/campaigns'
import { campaignPrice, whatsappCampaignRefusals, whatsappExclusions } from '@/strings/whatsapp'

type Props = {
  template: WhatsappTemplate
  campaign: Omit<WhatsappCampaign, 'withOften'>
  onBack: () => void
}

const refusalOf = (error: unknown) => (error instanceof DataError && whatsappCampaignRefusals[error.code]) || ''

export function WhatsappCampaignReview({ template, campaign, onBack }: Props) {
  const [withOften, setWithOften] = useState(false)
  const { data: preview, error, refetch } = useQuery(whatsappCampaignPreviewQuery({ ...campaign, withOften }))
  if (error && !preview)
    return refusalOf(error) ? (
      <div className="grid gap-4">
        <p role="alert" className="text-sm font-medium text-error">
          {refusalOf(error)}
        </p>
        <Button variant="outline" className="justify-self-start" onClick={onBack}>
          Torna al modello
        </Button>
      </div>
    ) : (
      <LoadError text="Non riusciamo a controllare i destinatari." onRetry={() => void refetch()} />
    )
  if (!preview) return <Skeleton aria-busy className="h-72" />
  const often = preview.excluded.filter(({ reason }) => reason === 'often').length
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <p role="status" className="font-medium">
        {preview.count === 0
          ? 'Non lo riceve nessuno.'
          : `${preview.count === 1 ? 'Lo riceve' : 'Lo ricevono'} ${contactCount(preview.count)}.`}
      </p>
      <Excluded excluded={preview.excluded} words={whatsappExclusions} />
      {(often > 0 || withOften) && (
        <Agreement checked={withOften} onChange={setWithOften}>
          Invia anche a chi ha già ricevuto 3 messaggi in 7 giorni{often > 0 && ` (${often})`}
        </Agreement>
      )}
      {preview.count > 0 && (
        <>
          <Letters letters={preview.letters} footer={template.footer} />
          <p className="text-sm">Costo con Meta: {campaignPrice(preview.price)}.</p>
          <Departure at={campaign.notBefore} />
        </>
      )}
      <Approval
        preview={preview}
        campaign={{ ...campaign, withOften }}
        onBack={onBack}
        onRefused={() => void refetch()}
      />
    </div>
  )
}

type ApprovalProps = {
  preview: WhatsappCampaignPreview
  campaign: WhatsappCampaign
  onBack: () => void
  onRefused: () => void
}

function Approval({ preview, campaign, onBack, onRefused }: ApprovalProps) {
  const navigate = useNavigate()
  const send = useSendWhatsappCampaign()
  const [typed, setTyped] = useState('')
  const [overDays, setOverDays] = useState(false)
  const [key] = useState(() => crypto.randomUUID())
  const isSending = useRef(false)
  const words = sendingWords(campaign.notBefore)
  const { count, outside, left, a_day: aDay, is_to_be_typed: isToBeTyped } = preview
  const beyond = outside - left
  const days = aDay > 0 ? Math.ceil(beyond / aDay) : 0

  async function onSend() {
    // A second click comes before the button is disabled.
    if (isSending.current) return
    isSending.current = true
    try {
      await send.mutateAsync({ ...campaign, key, overDays, typed: isToBeTyped ? Number(typed) : null })
      toast.success(words.done(isToBeTyped))
      void navigate(paths.crmCampaigns)
    } catch (error) {
      toast.error(refusalOf(error) || 'Non siamo riusciti a inviare: riprova')
      isSending.current = false
      onRefused()
    }
  }

  return (
    <>
      {outside > 0 && (
        <p className="text-sm text-muted-foreground">
          {campaign.notBefore ? 'Quel giorno' : 'Oggi'} Meta ti lascia scrivere ancora a{' '}
          {left === 1
            ? 'una persona che non ti ha scritto nelle 24 ore prima.'
            : `${left} persone che non ti hanno scritto nelle 24 ore prima.`}
        </p>
      )}
      {beyond > 0 &&
        (days > 0 ? (
          <Agreement checked={overDays} onChange={setOverDays}>
            {beyond === 1 ? 'Uno lo riceve' : `${beyond} lo ricevono`} nei giorni dopo, {aDay} al giorno
            {days > 1 && `: servono altri ${days} giorni`}
          </Agreement>
        ) : (
          <p role="alert" className="text-sm font-medium text-error">
            Meta non ti lascia scrivere a persone nuove: controlla il numero in WhatsApp Manager.
          </p>
        ))}
      {isToBeTyped && (
        <TypedCount label={`Sono tanti: scrivi ${count} per confermare`} value={typed} onChange={setTyped} />
      )}
      <div className="flex flex-wrap gap-2">
        <Button
          disabled={
            send.isPending ||
            count === 0 ||
            (beyond > 0 && !(overDays && days > 0)) ||
            (isToBeTyped && typed.trim() !== String(count))
          }
          onClick={() => void onSend()}
        >
          {words.button} a {contactCount(count)}
        </Button>
        <Button variant="ghost" onClick={onBack}>
          Torna al modello
        </Button>
      </div>
    </>
  )
}

type AgreementProps = { checked: boolean; onChange: (checked: boolean) => void; children: ReactNode }

function Agreement({ checked, onChange, children }: AgreementProps) {
  return (
    <label className="flex min-h-11 items-center gap-2.5 text-sm">
      <input
        type="checkbox"
        className="size-4.5 shrink-0 accent-primary"
        checked={checked}
        onChange={({ target }) => onChange(target.checked)}
      />
      <span>{children}</span>
    </label>
  )
}

type LettersProps = { letters: WhatsappCampaignPreview['letters']; footer: string | null }

/** What the first recipients will see, one after the other. */
function Letters({ letters, footer }: LettersProps) {
  const [place, setPlace] = useState(0)
  const letter = letters[place % letters.length]
  if (!letter) return null
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p className="text-sm">
          <span className="font-medium">{letter.name}</span>
          {letter.recipient && <span className="text-muted-foreground"> · {letter.recipient}</span>}
        </p>
        {letters.length > 1 && (
          <Button variant="outline" size="sm" onClick={() => setPlace(place + 1)}>
            Successivo
          </Button>
        )}
      </div>
      <div aria-label="Anteprima" role="group" className="grid gap-1 rounded-md bg-muted px-3 py-2 text-sm break-words">
        <p className="whitespace-pre-wrap">{letter.body}</p>
        {footer && <p className="text-muted-foreground">{footer}</p>}
      </div>
    </div>
  )
}
