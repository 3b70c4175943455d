/** By which channels reminders may go, and what each still needs: a number, a template that Meta approved, a PEC. */
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useId } from 'react'
import { Link } from 'react-router'
import { toast } from 'sonner'

import { Button } from '@/components/ui/button'
import type { MailAccount } from '@/data/mail'
import {
  useProposeTemplate,
  type WhatsappTemplate,
  whatsappAccountQuery,
  whatsappTemplatesQuery,
} from '@/data/whatsapp'
import { FunctionError } from '@/lib/server-errors'
import { paths } from '@/paths'
import { reminderTemplate } from '@/strings/goals'

type ReminderChannels = { usesWhatsapp: boolean; usesPec: boolean }
type Props = {
  userId: string
  /** Undefined while it is read. */
  account: MailAccount | null | undefined
  value: ReminderChannels
  onChange: (value: ReminderChannels) => void
}

export function MandateChannels({ userId, account, value, onChange }: Props) {
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1 text-sm font-medium">Per quali canali</legend>
      <p className="text-sm text-pretty text-muted-foreground">
        I solleciti vanno per email. Ognuno parte su un canale solo: se quello scelto qui non si può usare, va per email
        e la proposta dice perché.
      </p>
      <Choice
        label="Email, poi WhatsApp"
        text="Il terzo sollecito, e tutti quelli ai clienti senza un’email che funziona, con il modello approvato da Meta."
        isChecked={value.usesWhatsapp}
        onToggle={(usesWhatsapp) => onChange({ ...value, usesWhatsapp })}
      >
        <WhatsappNeeds userId={userId} />
      </Choice>
      <Choice
        label="PEC per l’ultimo sollecito"
        text="Con le ricevute di accettazione e consegna, ai clienti che hanno una PEC."
        isChecked={value.usesPec}
        onToggle={(usesPec) => onChange({ ...value, usesPec })}
      >
        {account !== undefined && !account?.is_certified && (
          <p role="status" className="text-pretty">
            La tua casella non è una PEC: finché{' '}
            <Link to={paths.settingsChannels} className="underline">
              non ne colleghi una
            </Link>{' '}
            l’ultimo sollecito va per email.
          </p>
        )}
      </Choice>
    </fieldset>
  )
}

type ChoiceProps = {
  label: string
  text: string
  isChecked: boolean
  onToggle: (isChecked: boolean) => void
  /** What it still needs, while it is chosen. */
  children: ReactNode
}

function Choice({ label, text, isChecked, onToggle, children }: ChoiceProps) {
  const id = useId()
  return (
    <div className="grid gap-1 text-sm">
      <label className="flex min-h-11 cursor-pointer items-center gap-3 font-medium">
        <input
          type="checkbox"
          checked={isChecked}
          onChange={({ target }) => onToggle(target.checked)}
          aria-describedby={id}
          className="size-5 shrink-0 accent-primary"
        />
        {label}
      </label>
      <p id={id} className="text-pretty text-muted-foreground">
        {text}
      </p>
      {isChecked && children}
    </div>
  )
}

/** What is missing before a reminder can go by WhatsApp; nothing while it is read. */
function WhatsappNeeds({ userId }: { userId: string }) {
  const account = useQuery(whatsappAccountQuery(userId))
  const templates = useQuery({ ...whatsappTemplatesQuery(userId), enabled: Boolean(account.data) })
  if (account.data === undefined) return null
  if (account.data === null)
    return (
      <p role="status" className="text-pretty">
        Ti serve un numero WhatsApp:{' '}
        <Link to={paths.settingsChannels} className="underline">
          collegalo
        </Link>
        , intanto i solleciti vanno per email.
      </p>
    )
  if (!templates.data) return null
  return (
    <TemplateNeeds
      userId={userId}
      template={templates.data.find(({ name }) => name === reminderTemplate.name) ?? null}
    />
  )
}

function TemplateNeeds({ userId, template }: { userId: string; template: WhatsappTemplate | null }) {
  const propose = useProposeTemplate(userId)

  async function press() {
    try {
      await propose.mutateAsync(reminderTemplate)
    } catch (failure) {
      toast.error(failure instanceof FunctionError ? failure.message : 'Non siamo riusciti a proporlo: riprova')
      return
    }
    toast.success('Modello proposto: Meta lo approva o lo rifiuta')
  }

  if (template?.state === 'APPROVED' && template.category === 'UTILITY')
    return <p role="status">Il modello «{reminderTemplate.name}» è approvato.</p>
  if (template?.state === 'PENDING')
    return <p role="status">Il modello è in attesa di Meta: intanto i solleciti vanno per email.</p>
  if (template)
    return (
      <p role="status" className="text-pretty">
        Il modello «{reminderTemplate.name}» ora non si può usare{template.reason && `: ${template.reason}`}.{' '}
        <Link to={paths.settingsChannels} className="underline">
          Vedi i modelli
        </Link>
      </p>
    )
  return (
    <div className="grid gap-2 rounded-md border p-3">
      <p role="status" className="font-medium">
        Manca il modello dei solleciti, che Meta deve approvare:
      </p>
      <p className="break-words text-muted-foreground">{reminderTemplate.body}</p>
      <Button
        variant="secondary"
        size="sm"
        className="justify-self-start"
        disabled={propose.isPending}
        onClick={() => void press()}
      >
        Proponi il modello a Meta
      </Button>
    </div>
  )
}
