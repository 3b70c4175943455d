/** The reminder of an invoice: a letter to change, copy, open in one's own mail or send, with the invoice as PDF. */
import { useQuery } from '@tanstack/react-query'
import { FileDownIcon } from 'lucide-react'
import { type ReactNode, useRef, useState } from 'react'
import { toast } from 'sonner'

import { DraftActions } from '@/components/draft-actions'
import { tellFailure } from '@/components/save-failure'
import { Button } from '@/components/ui/button'
import { Dialog, DialogContent, DialogDescription, DialogHeader, DialogTitle } from '@/components/ui/dialog'
import { Input } from '@/components/ui/input'
import { Label } from '@/components/ui/label'
import { Skeleton } from '@/components/ui/skeleton'
import { Textarea } from '@/components/ui/textarea'
import { useAuth } from '@/data/auth-context'
import { contactQuery } from '@/data/contacts'
import { useSaveDraft } from '@/data/drafts'
import type { Insight } from '@/data/home'
import { invoicePdf } from '@/data/invoices'
import { invoiceIbansQuery, payTo } from '@/data/pay-to'
import { saveBlob } from '@/lib/save-file'
import { reminderLetter } from '@/strings/reminders'

type Props = { userId: string; insight: Insight; onDone: () => void; onClose: () => void }

export default function ReminderDialog({ userId, insight, onDone, onClose }: Props) {
  const { profile } = useAuth()
  const { contact_id: contactId, entity_id: invoiceId, data, amount_cents: cents, currency } = insight
  const contact = useQuery({ ...contactQuery(contactId ?? ''), enabled: contactId !== null })
  const ibans = useQuery({
    ...invoiceIbansQuery(userId, invoiceId ?? ''),
    enabled: invoiceId !== null && Boolean(profile?.iban),
  })
  const emails = contact.data?.emails ?? []
  const email = (emails.find(({ is_primary: isPrimary }) => isPrimary) ?? emails[0])?.value ?? null
  const letter = reminderLetter(
    data.counterparty ?? 'cliente',
    contact.data ? contact.data.type === 'azienda' : true,
    profile?.business_name ?? profile?.full_name ?? '',
    {
      number: data.number ?? '',
      cents: cents ?? 0,
      currency,
      issuedOn: data.issued_on ?? '',
      dueOn: data.due_on ?? '',
      lateDays: data.late_days ?? null,
      payTo: ibans.data ? payTo(profile, ibans.data) : null,
    },
  )
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent>
        <DialogHeader>
          <DialogTitle>{data.late_days === undefined ? 'Promemoria' : 'Sollecito'}</DialogTitle>
          <DialogDescription>
            {email
              ? `A ${data.counterparty} (${email}).`
              : `A ${data.counterparty ?? 'chi la deve'}: manca l’indirizzo.`}{' '}
            Parte solo quando lo decidi tu.
          </DialogDescription>
        </DialogHeader>
        {contact.isLoading || ibans.isLoading ? (
          <Skeleton aria-busy className="h-72" />
        ) : (
          <Letter
            {...letter}
            recipient={email}
            userId={userId}
            contactId={contactId}
            invoiceId={invoiceId}
            onDone={onDone}
            onClose={onClose}
          >
            {invoiceId && <PdfButton id={invoiceId} number={data.number ?? ''} />}
          </Letter>
        )}
      </DialogContent>
    </Dialog>
  )
}

type LetterProps = Pick<Props, 'userId' | 'onDone' | 'onClose'> & {
  subject: string
  body: string
  recipient: string | null
  contactId: string | null
  invoiceId: string | null
  children: ReactNode
}

function Letter({ recipient, userId, contactId, invoiceId, onDone, onClose, children, ...written }: LetterProps) {
  const [subject, setSubject] = useState(written.subject)
  const [body, setBody] = useState(written.body)
  const [id] = useState(() => crypto.randomUUID())
  const save = useSaveDraft(userId)
  const isDone = useRef(false)
  const draft = { channel: 'email', recipient, subject, body, contact_id: contactId }

  /** Kept as it left, among the drafts of its contact. */
  function keep() {
    save.mutate({ id, ...draft }, { onError: tellFailure })
    finish()
  }

  function finish() {
    if (!isDone.current) onDone()
    isDone.current = true
  }

  /** What was sent is no draft. */
  function onSent() {
    finish()
    onClose()
  }

  return (
    <div className="grid gap-4">
      <div className="grid gap-1.5">
        <Label htmlFor="oggetto">Oggetto</Label>
        <Input id="oggetto" value={subject} maxLength={200} onChange={({ target }) => setSubject(target.value)} />
      </div>
      <div className="grid gap-1.5">
        <Label htmlFor="testo">Testo</Label>
        <Textarea
          id="testo"
          value={body}
          rows={10}
          maxLength={20_000}
          onChange={({ target }) => setBody(target.value)}
        />
      </div>
      {/* Copied, opened in the mail or kept: in each case it leaves. The PDF only goes with it. */}
      <div
        onClickCapture={({ target, currentTarget }) => {
          // Clicks in a dialog above arrive here as well.
          if (target instanceof Element && currentTarget.contains(target) && !target.closest('[data-stays]')) keep()
        }}
      >
        <DraftActions draft={draft} invoiceId={invoiceId} onSent={onSent}>
          {children}
          <Button
            size="sm"
            onClick={() => {
              toast.success('Bozza salvata', { description: subject })
              onClose()
            }}
          >
            Salva la bozza
          </Button>
        </DraftActions>
      </div>
    </div>
  )
}

function PdfButton({ id, number }: { id: string; number: string }) {
  const [isBusy, setIsBusy] = useState(false)

  async function save() {
    setIsBusy(true)
    try {
      saveBlob(`Fattura ${number.replaceAll('/', '-')}.pdf`, await invoicePdf(id))
    } catch {
      toast.error('Non siamo riusciti a preparare il PDF: riprova')
    }
    setIsBusy(false)
  }

  return (
    <Button variant="outline" size="sm" data-stays disabled={isBusy} onClick={() => void save()}>
      <FileDownIcon aria-hidden /> PDF della fattura
    </Button>
  )
}
