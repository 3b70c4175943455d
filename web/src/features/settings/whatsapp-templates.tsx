/** The message templates of the number: how Meta sees them, and a new one. */
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { toast } from 'sonner'

import { LoadError } from '@/components/load-error'
import { Badge } from '@/components/ui/badge'
import { Button } from '@/components/ui/button'
import { Input } from '@/components/ui/input'
import { Label } from '@/components/ui/label'
import { Select } from '@/components/ui/select'
import { Skeleton } from '@/components/ui/skeleton'
import { Textarea } from '@/components/ui/textarea'
import { useProposeTemplate, whatsappTemplatesQuery } from '@/data/whatsapp'
import { FunctionError } from '@/lib/server-errors'
import { templateCategories, templateState } from '@/strings/whatsapp'

export function WhatsappTemplates({ userId }: { userId: string }) {
  const { data, isError, refetch } = useQuery(whatsappTemplatesQuery(userId))
  return (
    <section aria-label="Modelli" className="grid gap-3">
      <h3 className="font-medium">Modelli</h3>
      <p className="text-sm text-muted-foreground">
        Servono per scrivere quando sono passate 24 ore dall’ultimo messaggio.
      </p>
      {isError && !data && <LoadError text="Non riusciamo a leggere i modelli." onRetry={() => void refetch()} />}
      {!data && !isError && <Skeleton aria-busy className="h-16" />}
      {data?.length === 0 && <p className="text-sm text-muted-foreground">Non hai ancora modelli.</p>}
      {data && data.length > 0 && (
        <ul className="divide-y text-sm">
          {data.map((template) => (
            <li key={template.id} className="grid gap-0.5 py-2">
              <span className="flex flex-wrap items-center gap-2 font-medium break-all">
                {template.name}
                <Badge variant={template.state === 'APPROVED' ? 'secondary' : 'outline'}>
                  {templateState(template.state)}
                </Badge>
              </span>
              <span className="break-words whitespace-pre-wrap">{template.body}</span>
              {template.footer && <span className="break-words text-muted-foreground">{template.footer}</span>}
              <span className="text-muted-foreground">
                {templateCategories[template.category] ?? template.category}
                {template.reason && `. Motivo: ${template.reason}`}
                {!template.is_usable && '. Ha parti che Socio non compila.'}
              </span>
            </li>
          ))}
        </ul>
      )}
      <NewTemplate userId={userId} />
    </section>
  )
}

function NewTemplate({ userId }: { userId: string }) {
  const id = useId()
  const propose = useProposeTemplate(userId)
  const [isOpen, setOpen] = useState(false)
  const [name, setName] = useState('')
  const [category, setCategory] = useState('UTILITY')
  const [body, setBody] = useState('')
  const [examples, setExamples] = useState<Record<string, string>>({})
  const [error, setError] = useState('')
  const places = [...new Set([...body.matchAll(/\{\{\s*([a-z0-9_]+)\s*\}\}/g)].map(([, place]) => place ?? ''))]

  async function onPropose(event: FormEvent) {
    event.preventDefault()
    setError('')
    try {
      await propose.mutateAsync({ name: name.trim(), category, body, examples })
      toast.success('Modello proposto: Meta lo approva o lo rifiuta')
      setOpen(false)
      setName('')
      setBody('')
      setExamples({})
    } catch (failure) {
      setError(failure instanceof FunctionError ? failure.message : 'Non siamo riusciti a proporlo: riprova')
    }
  }

  if (!isOpen)
    return (
      <Button variant="outline" size="sm" className="justify-self-start" onClick={() => setOpen(true)}>
        Nuovo modello
      </Button>
    )
  return (
    <form noValidate className="grid gap-3 rounded-md border p-3" onSubmit={(event) => void onPropose(event)}>
      <div className="grid gap-1.5">
        <Label htmlFor={`${id}-name`}>Nome, per esempio promemoria_pagamento</Label>
        <Input
          id={`${id}-name`}
          value={name}
          maxLength={100}
          autoComplete="off"
          onChange={(event) => setName(event.target.value)}
        />
      </div>
      <div className="grid gap-1.5">
        <Label htmlFor={`${id}-category`}>Categoria</Label>
        <Select id={`${id}-category`} value={category} onChange={(event) => setCategory(event.target.value)}>
          <option value="UTILITY">{templateCategories.UTILITY}</option>
          <option value="MARKETING">{templateCategories.MARKETING}</option>
        </Select>
      </div>
      <div className="grid gap-1.5">
        <Label htmlFor={`${id}-body`}>Testo, con i punti da completare: {'{{nome}}'}</Label>
        <Textarea
          id={`${id}-body`}
          rows={3}
          value={body}
          maxLength={1024}
          onChange={(event) => setBody(event.target.value)}
        />
      </div>
      {category === 'MARKETING' && (
        <p className="text-sm text-muted-foreground">
          In fondo aggiungiamo come smettere: «Rispondi STOP per non ricevere altri messaggi».
        </p>
      )}
      {places.map((place) => (
        <div key={place} className="grid gap-1.5">
          <Label htmlFor={`${id}-${place}`}>Esempio per {place}</Label>
          <Input
            id={`${id}-${place}`}
            value={examples[place] ?? ''}
            maxLength={100}
            autoComplete="off"
            onChange={(event) => setExamples({ ...examples, [place]: event.target.value })}
          />
        </div>
      ))}
      {error && (
        <p role="alert" className="text-sm font-medium text-error">
          {error}
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" disabled={propose.isPending}>
          Proponi a Meta
        </Button>
        <Button type="button" variant="ghost" onClick={() => setOpen(false)}>
          Annulla
        </Button>
      </div>
    </form>
  )
}
