/** Writes a template of a mail: its places by name, and how a mail from it will look. Mounted only while open. */
import { BracesIcon } from 'lucide-react'
import { type FormEvent, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { toast } from 'sonner'

import { Field, LetterPreview } from '@/components/mail-fields'
import { Button } from '@/components/ui/button'
import { Dialog, DialogContent, DialogDescription, DialogHeader, DialogTitle } from '@/components/ui/dialog'
import {
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuGroup,
  DropdownMenuItem,
  DropdownMenuLabel,
  DropdownMenuTrigger,
} from '@/components/ui/dropdown-menu'
import { Input } from '@/components/ui/input'
import { Spinner } from '@/components/ui/spinner'
import { Textarea } from '@/components/ui/textarea'
import { useAuth } from '@/data/auth-context'
import type { MailAccount } from '@/data/mail'
import { mailAuthor, type MailTemplate, useSaveTemplate } from '@/data/mail-templates'
import { fillPlaces, openPlaces } from '@/lib/mail-places'
import { romeDay } from '@/lib/rome-time'
import { DataError } from '@/lib/server-errors'
import { templateErrors } from '@/strings/mail'
import { exampleAbout, isMailVariable, mailValues, mailVariables } from '@/strings/mail-variables'

type Props = {
  userId: string
  account: MailAccount | null
  template: MailTemplate
  isNew: boolean
  onClose: () => void
}

type Part = 'subject' | 'body'

export function MailTemplateDialog({ userId, account, template, isNew, onClose }: Props) {
  const save = useSaveTemplate(userId)
  const [name, setName] = useState(template.name)
  const [text, setText] = useState({ subject: template.subject ?? '', body: template.body })
  const [error, setError] = useState('')
  const subjectField = useRef<HTMLInputElement>(null)
  const bodyField = useRef<HTMLTextAreaElement>(null)
  /** Where the person wrote last: what is inserted goes there. */
  const [part, setPart] = useState<Part>('body')
  const places = openPlaces(`${text.subject}\n${text.body}`).filter(({ isHint }) => !isHint)
  const unknown = [...new Set(places.map((place) => place.name))].filter((place) => !isMailVariable(place))

  function insert(variable: string) {
    const field = part === 'subject' ? subjectField.current : bodyField.current
    if (!field) return
    const { selectionStart, selectionEnd, value } = field
    const [from, to] = [selectionStart ?? value.length, selectionEnd ?? value.length]
    const place = `{{${variable}}}`
    flushSync(() => setText({ ...text, [part]: value.slice(0, from) + place + value.slice(to) }))
    field.focus()
    field.setSelectionRange(from + place.length, from + place.length)
  }

  async function onSave(event: FormEvent) {
    event.preventDefault()
    const plainName = name.replaceAll(/\s+/g, ' ').trim()
    setError(plainName ? '' : 'Scrivi un nome')
    if (!plainName) return
    try {
      await save.mutateAsync({
        id: template.id,
        name: plainName,
        subject: text.subject.trim() || null,
        body: text.body.trim(),
      })
      toast.success('Modello salvato', { description: plainName })
      onClose()
    } catch (failure) {
      setError(
        (failure instanceof DataError && templateErrors[failure.code]) || 'Non siamo riusciti a salvare: riprova',
      )
    }
  }

  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent>
        <DialogHeader>
          <DialogTitle>{isNew ? 'Nuovo modello' : 'Modifica il modello'}</DialogTitle>
          <DialogDescription>
            I dati tra doppie graffe si compilano da soli quando lo usi. Tra [parentesi quadre e puntini…] segni quello
            che completi tu.
          </DialogDescription>
        </DialogHeader>
        <form noValidate className="grid grid-cols-[minmax(0,1fr)] gap-4" onSubmit={(event) => void onSave(event)}>
          <Field id="nome-modello" label="Nome">
            <Input
              id="nome-modello"
              value={name}
              maxLength={80}
              autoComplete="off"
              aria-invalid={Boolean(error)}
              aria-describedby={error ? 'errore-modello' : undefined}
              onChange={({ target }) => setName(target.value)}
            />
          </Field>
          <Field id="oggetto-modello" label="Oggetto (facoltativo)">
            <Input
              ref={subjectField}
              id="oggetto-modello"
              value={text.subject}
              maxLength={200}
              autoComplete="off"
              onFocus={() => setPart('subject')}
              onChange={({ target }) => setText({ ...text, subject: target.value })}
            />
          </Field>
          <Field id="testo-modello" label="Testo">
            <Textarea
              ref={bodyField}
              id="testo-modello"
              value={text.body}
              rows={9}
              maxLength={20_000}
              aria-describedby={unknown.length > 0 ? 'ignoti-modello' : undefined}
              onFocus={() => setPart('body')}
              onChange={({ target }) => setText({ ...text, body: target.value })}
            />
          </Field>
          <VariableMenu part={part} onChoose={insert} />
          {unknown.length > 0 && (
            <p id="ignoti-modello" role="status" className="text-sm text-muted-foreground">
              {unknown.length === 1 ? 'Questo dato Socio non lo conosce' : 'Questi dati Socio non li conosce'}, e lo
              completerai tu ogni volta: {unknown.join(', ')}.
            </p>
          )}
          <details className="text-sm">
            <summary className="flex min-h-11 cursor-pointer items-center font-medium">
              Come la vede chi la riceve, con dati di esempio
            </summary>
            <Preview account={account} {...text} />
          </details>
          {error && (
            <p id="errore-modello" role="alert" className="text-sm font-medium text-error">
              {error}
            </p>
          )}
          <Button type="submit" className="justify-self-start" disabled={save.isPending || !text.body.trim()}>
            {save.isPending && <Spinner aria-hidden />}
            Salva
          </Button>
        </form>
      </DialogContent>
    </Dialog>
  )
}

function VariableMenu({ part, onChoose }: { part: Part; onChoose: (name: string) => void }) {
  const chosen = useRef('')
  return (
    <DropdownMenu>
      <DropdownMenuTrigger asChild>
        <Button type="button" variant="outline" size="sm" className="justify-self-start">
          <BracesIcon aria-hidden /> Inserisci un dato {part === 'subject' ? 'nell’oggetto' : 'nel testo'}
        </Button>
      </DropdownMenuTrigger>
      <DropdownMenuContent
        align="start"
        className="max-h-[min(24rem,60dvh)] max-w-[calc(100vw-2rem)] overflow-y-auto"
        onCloseAutoFocus={(event) => {
          if (!chosen.current) return
          // The text has the focus and the caret behind what was inserted.
          event.preventDefault()
          onChoose(chosen.current)
          chosen.current = ''
        }}
      >
        {mailVariables.map(({ source, variables }) => (
          <DropdownMenuGroup key={source} aria-label={source}>
            <DropdownMenuLabel>{source}</DropdownMenuLabel>
            {variables.map(({ name, label }) => (
              <DropdownMenuItem key={name} className="justify-between gap-4" onSelect={() => (chosen.current = name)}>
                {label}
                <span className="text-xs text-muted-foreground">{`{{${name}}}`}</span>
              </DropdownMenuItem>
            ))}
          </DropdownMenuGroup>
        ))}
      </DropdownMenuContent>
    </DropdownMenu>
  )
}

type PreviewProps = { account: MailAccount | null; subject: string; body: string }

function Preview({ account, subject, body }: PreviewProps) {
  const { profile } = useAuth()
  const [today] = useState(() => romeDay(new Date()))
  const values = mailValues(exampleAbout(mailAuthor(profile), today))
  return (
    <LetterPreview
      account={account}
      subject={fillPlaces(subject, values)}
      body={fillPlaces(body, values)}
      basis="contratto"
    />
  )
}
