/** The form of a contact, new or known: a dialog, on a phone a sheet. */
import { zodResolver } from '@hookform/resolvers/zod'
import { useEffect, useState } from 'react'
import { useForm } from 'react-hook-form'
import { Link } from 'react-router'
import { toast } from 'sonner'

import { AuthForm } from '@/components/auth-form'
import { Dialog, DialogContent, DialogDescription, DialogHeader, DialogTitle } from '@/components/ui/dialog'
import { type Holder, holderOf, useSaveContact } from '@/data/contacts'
import {
  changedContactSchema,
  type ContactChange,
  changesOf,
  contactFrom,
  contactSchema,
  type ContactValues,
} from '@/data/contacts-form'
import { ContactFields } from '@/features/crm/contact-fields'
import { DataError } from '@/lib/server-errors'
import { paths } from '@/paths'

type Props = {
  userId: string
  /** The contact that is changed; without it a new one is made. */
  id?: string
  values: ContactValues
  /** `undo`, written, takes back what was changed of a known contact. */
  onSaved: (id: string, name: string, undo: ContactChange) => void
  onClose: () => void
}

/** What the server refused because another contact has it; which of several it does not say. */
function takenField(failure: unknown): 'emails' | 'phones' | null {
  if (!(failure instanceof DataError) || failure.code !== '23505') return null
  if (failure.message.includes('contact_emails')) return 'emails'
  return failure.message.includes('contact_phones') ? 'phones' : null
}

/** Whose it is; null when it cannot be told. */
async function takenFrom(taken: 'emails' | 'phones', typed: ContactValues, id: string): Promise<Holder | null> {
  const { emails, phones } = await contactFrom(typed)
  const norms =
    taken === 'emails' ? emails.map((email) => email.toLowerCase()) : phones.flatMap(({ norm }) => norm ?? [])
  try {
    return await holderOf(`contact_${taken}`, norms, id)
  } catch {
    return null
  }
}

/** Merged or thrown away, in another tab, while it was being written. */
const isGone = (failure: unknown): boolean => failure instanceof DataError && failure.code === 'PT404'

export function ContactForm({ userId, id, values, onSaved, onClose }: Props) {
  const save = useSaveContact()
  const [former] = useState(values)
  // Of a second attempt the server knows by it that the first, whose answer was lost, came through.
  const [newId] = useState(() => crypto.randomUUID())
  const [holder, setHolder] = useState<Holder | null>(null)
  const [schema] = useState(() => (id ? changedContactSchema(former) : contactSchema))
  const form = useForm<ContactValues>({
    resolver: zodResolver(schema),
    defaultValues: former,
    // A wrong number is told when its field is left, and taken back as soon as it is right.
    mode: 'onTouched',
  })
  const { isDirty } = form.formState

  // What was typed is not lost with the tab.
  useEffect(() => {
    if (!isDirty) return undefined
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [isDirty])

  async function onSubmit(typed: ContactValues): Promise<void> {
    const contact = await (id ? changesOf(typed, former) : contactFrom(typed))
    const undo = await changesOf(former, typed)
    setHolder(null)
    try {
      const saved = await save.mutateAsync({ id: id ?? newId, contact })
      const name = typed.type === 'azienda' ? typed.businessName : `${typed.firstName} ${typed.lastName}`
      onSaved(saved, name.trim(), undo)
    } catch (failure) {
      const taken = takenField(failure)
      const what = typed[taken ?? 'emails'].length > 1 ? 'Uno di questi è' : 'È'
      if (taken) {
        const other = await takenFrom(taken, typed, id ?? newId)
        const whose = other ? `«${other.name}»${other.deleted_at ? ', che è nel cestino' : ''}` : 'un altro contatto'
        form.setError(`${taken}.0.value`, { message: `${what} già di ${whose}` })
        setHolder(other)
      } else if (isGone(failure)) toast.error('Questo contatto non c’è più: è nel cestino, o unito a un altro')
      else toast.error('Non siamo riusciti a salvare il contatto: riprova')
    }
  }

  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent
        className="sm:max-h-[90dvh] sm:max-w-2xl"
        // A click beside a half-filled form, or Esc, is a slip, not a decision.
        onInteractOutside={(event) => isDirty && event.preventDefault()}
        onEscapeKeyDown={(event) => isDirty && event.preventDefault()}
      >
        <DialogHeader>
          <DialogTitle>{id ? 'Modifica contatto' : 'Nuovo contatto'}</DialogTitle>
          <DialogDescription>Basta il nome: il resto lo aggiungi quando serve.</DialogDescription>
        </DialogHeader>
        <AuthForm form={form} onSubmit={onSubmit} submit={id ? 'Salva' : 'Aggiungi contatto'} inline>
          <ContactFields userId={userId} isNew={!id} />
          {holder && (
            // Beside the form: what was typed stays.
            <Link to={paths.crmContact(holder.id)} target="_blank" className="text-sm font-medium underline">
              Apri «{holder.name}» in un’altra scheda
            </Link>
          )}
        </AuthForm>
      </DialogContent>
    </Dialog>
  )
}
