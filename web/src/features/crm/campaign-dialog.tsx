/** Writes one text to several contacts: the text, then who gets what and who is left out, then the approval. */
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { toast } from 'sonner'

import { LoadError } from '@/components/load-error'
import { BasisField, Field, LetterPreview, wantedTime, type When, WhenField } from '@/components/mail-fields'
import { Button } from '@/components/ui/button'
import { Dialog, DialogContent, DialogDescription, DialogHeader, DialogTitle } from '@/components/ui/dialog'
import { Input } from '@/components/ui/input'
import { Select } from '@/components/ui/select'
import { Skeleton } from '@/components/ui/skeleton'
import { Textarea } from '@/components/ui/textarea'
import { type Campaign, type CampaignLetter, campaignPreviewQuery, useSendCampaign } from '@/data/campaigns'
import type { MailAccount } from '@/data/mail'
import type { Enums } from '@/data/tables'
import { Excluded, TypedCount } from '@/features/crm/campaign-parts'
import { DataError } from '@/lib/server-errors'
import { paths } from '@/paths'
import { contactCount, sendingWords } from '@/strings/campaigns'
import { campaignRefusals, exclusions } from '@/strings/mail'

type Props = { account: MailAccount; contactIds: string[]; onClose: () => void }

export default function CampaignDialog({ account, contactIds, onClose }: Props) {
  const [subject, setSubject] = useState('')
  const [body, setBody] = useState('')
  const [basis, setBasis] = useState<Enums<'mail_basis'>>('consenso')
  const [when, setWhen] = useState<When>('orario')
  const [later, setLater] = useState('')
  const [isWritten, setWritten] = useState(false)
  const campaign = { contactIds, subject: subject.trim(), body, basis }
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent>
        <DialogHeader>
          <DialogTitle>Scrivi a {contactCount(contactIds.length)}</DialogTitle>
          <DialogDescription>
            Ognuno riceve la sua email da {account.from_address}, e non vede gli altri.{' '}
            <Link to={paths.crmCampaigns} className="underline">
              Invii precedenti
            </Link>
          </DialogDescription>
        </DialogHeader>
        {isWritten ? (
          <Review
            account={account}
            campaign={campaign}
            notBefore={wantedTime(when, later)}
            onBack={() => setWritten(false)}
          />
        ) : (
          <form
            className="grid gap-4"
            onSubmit={(event) => {
              event.preventDefault()
              setWritten(true)
            }}
          >
            <Field id="oggetto-invio" label="Oggetto">
              <Input
                id="oggetto-invio"
                value={subject}
                maxLength={200}
                onChange={({ target }) => setSubject(target.value)}
              />
            </Field>
            <Field id="testo-invio" label="Testo">
              <Textarea
                id="testo-invio"
                value={body}
                rows={8}
                maxLength={20_000}
                aria-describedby="posti-invio"
                onChange={({ target }) => setBody(target.value)}
              />
            </Field>
            <p id="posti-invio" className="-mt-2 text-sm text-muted-foreground">
              Per ognuno al posto di {'{{nome}}'}, {'{{cognome}}'}, {'{{azienda}}'} o {'{{contatto}}'} c’è il suo dato.
              Chi non lo ha resta escluso.
            </p>
            <BasisField value={basis} onChange={setBasis} />
            <WhenField canBeAtOnce={false} value={when} later={later} onChange={setWhen} onLater={setLater} />
            <Button
              type="submit"
              className="justify-self-start"
              disabled={!subject.trim() || !body.trim() || (when === 'tardi' && !later)}
            >
              Controlla chi la riceve
            </Button>
          </form>
        )}
      </DialogContent>
    </Dialog>
  )
}

type ReviewProps = { account: MailAccount; campaign: Campaign; notBefore: string | null; onBack: () => void }

function Review({ account, campaign, notBefore, onBack }: ReviewProps) {
  const navigate = useNavigate()
  const { data: preview, isError, refetch } = useQuery(campaignPreviewQuery(campaign))
  const send = useSendCampaign()
  const [typed, setTyped] = useState('')
  const [key] = useState(() => crypto.randomUUID())
  const isSending = useRef(false)
  const words = sendingWords(notBefore)
  if (isError && !preview)
    return <LoadError text="Non riusciamo a controllare i destinatari." onRetry={() => void refetch()} />
  if (!preview) return <Skeleton aria-busy className="h-72" />
  const { letters, excluded, left, is_to_be_typed: isToBeTyped } = preview
  const count = letters.length

  async function onSend() {
    // A second click comes before the button is disabled.
    if (isSending.current) return
    isSending.current = true
    try {
      await send.mutateAsync({ ...campaign, key, notBefore, typed: isToBeTyped ? Number(typed) : null })
      toast.success(words.done(isToBeTyped))
      void navigate(paths.crmCampaigns)
    } catch (error) {
      toast.error(
        (error instanceof DataError && campaignRefusals[error.code]) || 'Non siamo riusciti a inviare: riprova',
      )
      isSending.current = false
      void refetch()
    }
  }

  return (
    <div className="grid gap-4">
      <p role="status" className="font-medium">
        {count === 0
          ? 'Non la riceve nessuno.'
          : `${count === 1 ? 'La riceve' : 'La ricevono'} ${contactCount(count)}.`}
      </p>
      <Excluded excluded={excluded} words={exclusions} />
      {count > 0 && <Letters account={account} letters={letters} campaign={campaign} />}
      {count > left && (
        <p role="alert" className="text-sm font-medium text-error">
          Oggi puoi inviare ancora {left} email: scegline meno, o riprova domani.
        </p>
      )}
      {isToBeTyped && (
        <TypedCount label={`Sono più di 100: scrivi ${count} per confermare`} value={typed} onChange={setTyped} />
      )}
      <div className="flex flex-wrap gap-2">
        <Button
          disabled={send.isPending || count === 0 || count > left || (isToBeTyped && typed.trim() !== String(count))}
          onClick={() => void onSend()}
        >
          {words.button} a {contactCount(count)}
        </Button>
        <Button variant="ghost" onClick={onBack}>
          Torna al testo
        </Button>
      </div>
    </div>
  )
}

type LettersProps = { account: MailAccount; letters: CampaignLetter[]; campaign: Campaign }

/** What each recipient will see. */
function Letters({ account, letters, campaign }: LettersProps) {
  const [id, setId] = useState('')
  const letter = letters.find((each) => each.contact_id === id) ?? letters[0]
  if (!letter) return null
  return (
    <div className="grid gap-2">
      <Field id="chi-invio" label="Come la vede">
        <Select id="chi-invio" value={letter.contact_id} onChange={({ target }) => setId(target.value)}>
          {letters.map(({ contact_id: each, name, recipient }) => (
            <option key={each} value={each}>
              {name} ({recipient})
            </option>
          ))}
        </Select>
      </Field>
      <LetterPreview account={account} subject={letter.subject} body={letter.body} basis={campaign.basis} />
    </div>
  )
}
