/** Writes to a contact from the person's own account: what the recipient will see, and ten seconds to take it back. */
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { Link } from 'react-router'
import { toast } from 'sonner'

import { type Letter, LetterTextFields, OpenPlacesButton } from '@/components/letter-text'
import { BasisField, Field, isSoon, LetterPreview, wantedTime, type When, WhenField } from '@/components/mail-fields'
import { SenderLine } from '@/components/sender-line'
import { Button } from '@/components/ui/button'
import { Dialog, DialogContent, DialogDescription, DialogHeader, DialogTitle } from '@/components/ui/dialog'
import { Select } from '@/components/ui/select'
import { Skeleton } from '@/components/ui/skeleton'
import { useLetterText } from '@/components/use-letter-text'
import { useUser } from '@/data/auth-context'
import { contactQuery, type WholeContact } from '@/data/contacts'
import { bouncesQuery } from '@/data/letters'
import { type MailAccount, salesQuery, useCancelMail, useSendMail } from '@/data/mail'
import type { Enums } from '@/data/tables'
import { openNames } from '@/lib/mail-places'
import { FunctionError } from '@/lib/server-errors'
import { paths } from '@/paths'
import { fullDate, shortDate } from '@/strings/dates'

const UNDO_MS = 10_000
/** So many mails that came back in a week say that an address may be wrong. */
const DOUBTFUL = 3

type Props = {
  account: MailAccount
  letter: Letter
  onSent?: (() => void) | undefined
  onClose: () => void
}

export default function SendMailDialog({ letter, ...props }: Props) {
  const contact = useQuery(contactQuery(letter.contactId))
  return (
    <Dialog open onOpenChange={(open) => !open && props.onClose()}>
      <DialogContent>
        <DialogHeader>
          <DialogTitle>Scrivi a {contact.data?.name ?? '…'}</DialogTitle>
          <DialogDescription className="break-words">
            Parte da <SenderLine account={props.account} />.
          </DialogDescription>
        </DialogHeader>
        {contact.data ? (
          <LetterForm {...props} letter={letter} contact={contact.data} />
        ) : (
          <Skeleton aria-busy className="h-72" />
        )}
      </DialogContent>
    </Dialog>
  )
}

function LetterForm({ account, letter, contact, onSent, onClose }: Props & { contact: WholeContact }) {
  const { emails } = contact
  const first = emails.find(({ is_primary: isPrimary }) => isPrimary) ?? emails[0]
  const [recipient, setRecipient] = useState(
    emails.find(({ value }) => value.toLowerCase() === letter.recipient?.toLowerCase())?.value ?? first?.value ?? '',
  )
  const writing = useLetterText({ subject: letter.subject, body: letter.body })
  const { subject, body } = writing.text
  const [basis, setBasis] = useState<Enums<'mail_basis'>>('contratto')
  const [saleId, setSaleId] = useState('')
  const [when, setWhen] = useState<When>('orario')
  const [later, setLater] = useState('')
  const [hasInvoice, setInvoice] = useState(Boolean(letter.invoiceId))
  const [key] = useState(() => crypto.randomUUID())
  const isSending = useRef(false)
  const subjectField = useRef<HTMLInputElement>(null)
  const bodyField = useRef<HTMLTextAreaElement>(null)
  const hasOpenPlaces = openNames(subject, body).length > 0
  const { id: userId } = useUser()
  const send = useSendMail(userId)
  const cancel = useCancelMail(userId)
  if (emails.length === 0)
    return <p className="text-sm text-muted-foreground">Questo contatto non ha un indirizzo email: aggiungilo prima.</p>

  async function onSend() {
    // A second click comes before the button is disabled.
    if (isSending.current) return
    isSending.current = true
    try {
      const { id, not_before: leavesAt } = await send.mutateAsync({
        key,
        contact_id: letter.contactId,
        recipient,
        subject: subject.trim(),
        body,
        basis,
        // Its answer stands at the invoice, with or without the PDF.
        invoice_id: letter.invoiceId ?? null,
        attaches_invoice: hasInvoice,
        sale_id: basis === 'soft_spam' ? saleId : null,
        is_at_once: when === 'subito',
        not_before: wantedTime(when, later),
        thread_id: letter.threadId ?? null,
      })
      const takeBack = () =>
        cancel
          .mutateAsync(id)
          .then(() => toast.success('Email annullata'))
          .catch(() => toast.error('L’email è già partita'))
      toast(isSoon(leavesAt) ? 'Inviata tra 10 secondi' : `Parte ${fullDate(leavesAt)}`, {
        description: recipient,
        duration: UNDO_MS,
        action: { label: 'Annulla', onClick: () => void takeBack() },
      })
      onSent?.()
      onClose()
    } catch (error) {
      toast.error(error instanceof FunctionError ? error.message : 'Non siamo riusciti a inviare: riprova')
      isSending.current = false
    }
  }

  const canSend = !(
    hasOpenPlaces ||
    send.isPending ||
    !subject.trim() ||
    !body.trim() ||
    (when === 'tardi' && !later) ||
    (basis === 'soft_spam' && !saleId)
  )

  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <Field id="destinatario" label="A">
        <Select id="destinatario" value={recipient} onChange={({ target }) => setRecipient(target.value)}>
          {emails.map(({ id, value }) => (
            <option key={id} value={value}>
              {value}
            </option>
          ))}
        </Select>
      </Field>
      <Doubt address={recipient} />
      <LetterTextFields
        account={account}
        letter={letter}
        contact={contact}
        writing={writing}
        subjectField={subjectField}
        bodyField={bodyField}
        onSend={() => void (canSend && onSend())}
      />
      {letter.invoiceId && <Tick label="Allega il PDF della fattura" isOn={hasInvoice} onChange={setInvoice} />}
      {account.is_shared ? (
        <p className="text-sm text-muted-foreground">
          Tramite Socio partono email di lavoro. Per le campagne{' '}
          <Link to={paths.settingsChannels} className="underline" data-stays>
            collega la tua casella
          </Link>
          .
        </p>
      ) : (
        <BasisField
          value={basis}
          onChange={(value) => {
            setBasis(value)
            if (when === 'subito') setWhen('orario')
          }}
        />
      )}
      {basis === 'soft_spam' && <Sale contactId={letter.contactId} value={saleId} onChange={setSaleId} />}
      <WhenField canBeAtOnce={basis === 'contratto'} value={when} later={later} onChange={setWhen} onLater={setLater} />
      <details className="text-sm">
        <summary className="flex min-h-11 cursor-pointer items-center font-medium">Come la vede chi la riceve</summary>
        <LetterPreview account={account} subject={subject} body={body} basis={basis} />
      </details>
      {hasOpenPlaces ? (
        <OpenPlacesButton text={writing.text} subjectField={subjectField} bodyField={bodyField} />
      ) : (
        <Button
          className="justify-self-start"
          title="Ctrl + Invio"
          aria-keyshortcuts="Control+Enter Meta+Enter"
          disabled={!canSend}
          onClick={() => void onSend()}
        >
          Invia
        </Button>
      )}
    </div>
  )
}

/** That the address may be wrong. */
function Doubt({ address }: { address: string }) {
  const { id: userId } = useUser()
  const { data: bounces = 0 } = useQuery(bouncesQuery(userId, address))
  if (bounces < DOUBTFUL) return null
  return (
    <p role="status" className="-mt-2 text-sm font-medium text-error">
      Questa settimana {bounces} email a questo indirizzo sono tornate indietro: controllalo.
    </p>
  )
}

/** The sale that a promotion without consent rests on. */
function Sale({ contactId, value, onChange }: { contactId: string; value: string; onChange: (id: string) => void }) {
  const { id: userId } = useUser()
  const { data: sales } = useQuery(salesQuery(userId, contactId))
  if (sales?.length === 0)
    return (
      <p role="status" className="text-sm text-error">
        Non risultano fatture emesse a questo contatto: per una promozione serve il suo consenso.
      </p>
    )
  return (
    <Field id="vendita-mail" label="Che cosa ha comprato">
      <Select id="vendita-mail" value={value} onChange={({ target }) => onChange(target.value)}>
        <option value="">Scegli una fattura</option>
        {sales?.map(({ id, number, issued_on: day }) => (
          <option key={id} value={id}>
            Fattura {number} del {shortDate(day)}
          </option>
        ))}
      </Select>
    </Field>
  )
}

function Tick({ label, isOn, onChange }: { label: string; isOn: boolean; onChange: (isOn: boolean) => void }) {
  return (
    <label className="flex min-h-11 items-center gap-2.5 text-sm">
      <input
        type="checkbox"
        checked={isOn}
        className="size-4.5 accent-primary"
        onChange={({ target }) => onChange(target.checked)}
      />
      {label}
    </label>
  )
}
