/** Writes to a contact from the person's own account: what the recipient will see, and ten seconds to take it back. */
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useRef, useState } from 'react'
import { toast } from 'sonner'

import { Button } from '@/components/ui/button'
import { Dialog, DialogContent, DialogDescription, DialogHeader, DialogTitle } from '@/components/ui/dialog'
import { Input } from '@/components/ui/input'
import { Label } from '@/components/ui/label'
import { Select } from '@/components/ui/select'
import { Skeleton } from '@/components/ui/skeleton'
import { Textarea } from '@/components/ui/textarea'
import { contactQuery, type WholeContact } from '@/data/contacts'
import { type MailAccount, useCancelMail, useSendMail } from '@/data/mail'
import { FunctionError } from '@/lib/server-errors'

const UNDO_MS = 10_000

export type Letter = {
  contactId: string
  recipient: string | null
  subject: string
  body: string
  /** Its PDF may go with it. */
  invoiceId?: string | null | undefined
}

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
          <DialogDescription>Parte da {props.account.from_address}.</DialogDescription>
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
  const [subject, setSubject] = useState(letter.subject)
  const [body, setBody] = useState(letter.body)
  const [isPromotion, setPromotion] = useState(false)
  const [hasInvoice, setInvoice] = useState(Boolean(letter.invoiceId))
  const [key] = useState(() => crypto.randomUUID())
  const isSending = useRef(false)
  const send = useSendMail()
  const cancel = useCancelMail()
  if (emails.length === 0)
    return (
      <p className="text-sm text-muted-foreground">Questo contatto non ha un indirizzo e-mail: aggiungilo prima.</p>
    )

  async function onSend() {
    // A second click comes before the button is disabled.
    if (isSending.current) return
    isSending.current = true
    try {
      const { id } = await send.mutateAsync({
        key,
        contact_id: letter.contactId,
        recipient,
        subject: subject.trim(),
        body,
        basis: isPromotion ? 'consenso' : 'contratto',
        invoice_id: hasInvoice ? (letter.invoiceId ?? null) : null,
      })
      const takeBack = () =>
        cancel
          .mutateAsync(id)
          .then(() => toast.success('E-mail annullata'))
          .catch(() => toast.error('L’e-mail è già partita'))
      toast('Inviata tra 10 secondi', {
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

  return (
    <div className="grid gap-4">
      <Field id="destinatario" label="A">
        <Select id="destinatario" value={recipient} onChange={({ target }) => setRecipient(target.value)}>
          {emails.map(({ id, value }) => (
            <option key={id} value={value}>
              {value}
            </option>
          ))}
        </Select>
      </Field>
      <Field id="oggetto-mail" label="Oggetto">
        <Input id="oggetto-mail" value={subject} maxLength={200} onChange={({ target }) => setSubject(target.value)} />
      </Field>
      <Field id="testo-mail" label="Testo">
        <Textarea
          id="testo-mail"
          value={body}
          rows={8}
          maxLength={20_000}
          onChange={({ target }) => setBody(target.value)}
        />
      </Field>
      {letter.invoiceId && <Tick label="Allega il PDF della fattura" isOn={hasInvoice} onChange={setInvoice} />}
      <Tick label="È una promozione o un’offerta: serve il suo consenso" isOn={isPromotion} onChange={setPromotion} />
      <details className="text-sm">
        <summary className="flex min-h-11 cursor-pointer items-center font-medium">Come la vede chi la riceve</summary>
        <div className="grid gap-1 rounded-md border bg-background p-3 break-words">
          <p className="text-muted-foreground">
            Da: {account.from_name ? `${account.from_name} <${account.from_address}>` : account.from_address}
          </p>
          <p className="font-medium">{subject}</p>
          <p className="whitespace-pre-wrap">
            {body.trim()}
            {account.signature && `\n\n-- \n${account.signature}`}
          </p>
        </div>
      </details>
      <Button
        className="justify-self-start"
        disabled={send.isPending || !subject.trim() || !body.trim()}
        onClick={() => void onSend()}
      >
        Invia
      </Button>
    </div>
  )
}

function Field({ id, label, children }: { id: string; label: string; children: ReactNode }) {
  return (
    <div className="grid gap-1.5">
      <Label htmlFor={id}>{label}</Label>
      {children}
    </div>
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
