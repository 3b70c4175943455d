/** Writes down what was said: a note, or a call, mail, message or meeting, which starts the cadence anew. */
import { CalendarIcon, MailIcon, MessageCircleIcon, PhoneIcon, StickyNoteIcon } from 'lucide-react'
import { clsx } from 'clsx'
import { type FormEvent, useId, useRef, useState } from 'react'
import { toast } from 'sonner'

import { MARKDOWN_HINT } from '@/components/markdown'
import { Button } from '@/components/ui/button'
import { Spinner } from '@/components/ui/spinner'
import { Textarea } from '@/components/ui/textarea'
import { type Addition, useAddToTimeline } from '@/data/contacts-timeline'

type Kind = 'nota' | Extract<Addition, { table: 'interactions' }>['kind']

const kinds = [
  { kind: 'nota', label: 'Nota', hint: 'Che cosa vuoi ricordare?', icon: StickyNoteIcon },
  { kind: 'chiamata', label: 'Chiamata', hint: 'Di che cosa avete parlato?', icon: PhoneIcon },
  { kind: 'email', label: 'Email', hint: 'Che cosa hai scritto?', icon: MailIcon },
  { kind: 'whatsapp', label: 'WhatsApp', hint: 'Che cosa vi siete scritti?', icon: MessageCircleIcon },
  { kind: 'incontro', label: 'Incontro', hint: 'Com’è andata?', icon: CalendarIcon },
] as const satisfies { kind: Kind; label: string; hint: string; icon: typeof MailIcon }[]

export function Composer({ userId, contactId }: { userId: string; contactId: string }) {
  const id = useId()
  const field = useRef<HTMLTextAreaElement>(null)
  const [kind, setKind] = useState<Kind>('nota')
  const [text, setText] = useState('')
  const [additionId, setAdditionId] = useState(() => crypto.randomUUID())
  const [error, setError] = useState('')
  const add = useAddToTimeline(userId, contactId)
  const chosen = kinds.find((one) => one.kind === kind) ?? kinds[0]

  async function send(event?: FormEvent) {
    event?.preventDefault()
    if (add.isPending) return
    const body = text.trim()
    // A call may have been just a call; a note without words is none.
    if (kind === 'nota' && !body) {
      setError('Scrivi qualcosa')
      return
    }
    setError('')
    try {
      await add.mutateAsync({
        id: additionId,
        ...(kind === 'nota' ? { table: 'notes', body } : { table: 'interactions', kind, summary: body }),
      })
      setAdditionId(crypto.randomUUID())
      setText('')
      setKind('nota')
    } catch {
      // What was typed stays in the field.
      toast.error('Non siamo riusciti a salvare: riprova')
    }
  }

  return (
    <form noValidate onSubmit={(event) => void send(event)} className="grid gap-3 rounded-md border bg-card p-4">
      <div role="group" aria-label="Che cosa aggiungi" className="-mx-1.5 flex flex-wrap gap-0.5">
        {kinds.map(({ kind: one, label, icon: Icon }) => (
          <button
            key={one}
            type="button"
            aria-pressed={one === kind}
            onClick={() => {
              setKind(one)
              field.current?.focus()
            }}
            className={clsx(
              'flex min-h-11 items-center gap-1.5 rounded-full border px-2.5 text-sm font-medium transition-colors',
              one === kind
                ? 'border-primary bg-secondary text-secondary-foreground'
                : 'border-transparent text-muted-foreground hover:bg-muted hover:text-foreground',
            )}
          >
            <Icon aria-hidden className="size-4" />
            {label}
          </button>
        ))}
      </div>
      <Textarea
        ref={field}
        rows={2}
        aria-label={`${chosen.label}: ${chosen.hint}`}
        placeholder={chosen.hint}
        value={text}
        maxLength={20_000}
        aria-invalid={Boolean(error)}
        aria-describedby={error ? `${id}-error` : undefined}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) void send()
        }}
        className="min-h-16"
      />
      {error && (
        <p id={`${id}-error`} role="alert" className="text-sm font-medium text-error">
          {error}
        </p>
      )}
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p className="text-sm text-muted-foreground">
          {kind === 'nota' ? 'La vedi solo tu.' : 'Fa ripartire la cadenza.'} {MARKDOWN_HINT}
        </p>
        <Button type="submit" disabled={add.isPending}>
          {add.isPending && <Spinner aria-hidden />}
          Registra
        </Button>
      </div>
    </form>
  )
}
