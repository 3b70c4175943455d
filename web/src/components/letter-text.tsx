/** Subject and text of a mail to a contact: typed, or from a template, and what in them is still to be completed. */
import { useQueryClient } from '@tanstack/react-query'
import type { RefObject } from 'react'
import { toast } from 'sonner'

import { Field } from '@/components/mail-fields'
import { MailTemplateMenu } from '@/components/mail-template-menu'
import { Button } from '@/components/ui/button'
import { Input } from '@/components/ui/input'
import { Textarea } from '@/components/ui/textarea'
import type { LetterText, Writing } from '@/components/use-letter-text'
import { useAuth, useUser } from '@/data/auth-context'
import type { WholeContact } from '@/data/contacts'
import type { MailAccount } from '@/data/mail'
import { mailAboutQuery, type TemplateText } from '@/data/mail-templates'
import { fillPlaces, openNames, openPlaces, withPlaces } from '@/lib/mail-places'
import { missingText } from '@/strings/mail'
import { mailValues } from '@/strings/mail-variables'

export type Letter = {
  contactId: string
  recipient: string | null
  subject: string
  body: string
  /** The conversation that it answers in. */
  threadId?: string
  /** Its PDF may go with it. */
  invoiceId?: string | null | undefined
  /** What templates speak of, where nothing of it goes with the mail. */
  about?: { invoiceId?: string | null; dealId?: string }
}

type Fields = { subjectField: RefObject<HTMLInputElement | null>; bodyField: RefObject<HTMLTextAreaElement | null> }

type Props = Fields & {
  account: MailAccount
  letter: Letter
  contact: WholeContact
  writing: Writing
  /** Ctrl or ⌘ and Enter was pressed in the text. */
  onSend: () => void
}

export function LetterTextFields({ account, letter, contact, writing, subjectField, bodyField, onSend }: Props) {
  const { id: userId } = useUser()
  const { profile } = useAuth()
  const client = useQueryClient()
  const { subject, body } = writing.text
  const missing = openNames(subject, body)

  /** What templates say of this mail; null when it cannot be read. */
  async function readValues() {
    const invoiceId = letter.invoiceId ?? letter.about?.invoiceId
    const query = mailAboutQuery(userId, { contact, profile, invoiceId, dealId: letter.about?.dealId })
    try {
      return mailValues(await client.fetchQuery(query))
    } catch {
      toast.error('Non riusciamo a leggere i dati per il modello: riprova')
      return null
    }
  }

  async function onUse(template: TemplateText) {
    const values = await readValues()
    if (!values) return
    writing.replace({
      // An answer keeps the subject by which mail programs find its conversation.
      subject: letter.threadId ? null : fillPlaces(template.subject ?? '', values),
      body: fillPlaces(template.body, values),
    })
  }

  async function asTemplate() {
    const values = await readValues()
    return values && { subject: withPlaces(subject, values), body: withPlaces(body, values) }
  }

  return (
    <>
      <MailTemplateMenu
        userId={userId}
        account={account}
        asTemplate={asTemplate}
        canKeep={body.trim() !== ''}
        onUse={(template) => void onUse(template)}
      />
      {writing.hasBefore && (
        <p role="status" className="flex flex-wrap items-center gap-x-3 text-sm text-muted-foreground">
          Il modello ha preso il posto del tuo testo.
          <Button variant="link" size="sm" className="-ml-3" onClick={writing.putBack}>
            Rimetti il mio testo
          </Button>
        </p>
      )}
      <Field id="oggetto-mail" label="Oggetto">
        <Input
          ref={subjectField}
          id="oggetto-mail"
          value={subject}
          maxLength={200}
          onChange={({ target }) => writing.change({ subject: target.value })}
        />
      </Field>
      <Field id="testo-mail" label="Testo">
        <Textarea
          ref={bodyField}
          id="testo-mail"
          value={body}
          rows={8}
          maxLength={20_000}
          onChange={({ target }) => writing.change({ body: target.value })}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) onSend()
          }}
        />
      </Field>
      {missing.length > 0 && (
        <p role="status" className="text-sm text-muted-foreground">
          Da completare prima di inviare: {missing.join(', ')}.
        </p>
      )}
    </>
  )
}

/** In the place of «Invia» while something is missing: says what, and selects it, so that typing replaces it. */
export function OpenPlacesButton({ text: { subject, body }, subjectField, bodyField }: Fields & { text: LetterText }) {
  function select() {
    const [inSubject, inBody] = [openPlaces(subject)[0], openPlaces(body)[0]]
    const field = inSubject ? subjectField.current : bodyField.current
    const place = inSubject ?? inBody
    if (!place) return
    field?.setSelectionRange(place.start, place.end)
    field?.focus()
  }

  return (
    <Button variant="outline" className="max-w-full justify-self-start" onClick={select}>
      <span className="truncate">{missingText(openNames(subject, body))}</span>
    </Button>
  )
}
