/** Chooses one contact by typing part of the name. */
import { useQuery } from '@tanstack/react-query'
import { XIcon } from 'lucide-react'
import { useDeferredValue, useId, useState } from 'react'

import { Button } from '@/components/ui/button'
import { Input } from '@/components/ui/input'
import { Label } from '@/components/ui/label'
import { contactSearchQuery, type FoundContact } from '@/data/contact-search'

type Props = {
  userId: string
  label: string
  value: { id: string; name: string | null } | null
  onChoose: (contact: FoundContact | null) => void
}

export function ContactField({ userId, label, value, onChoose }: Props) {
  const id = useId()
  const [text, setText] = useState('')
  const found = useQuery(contactSearchQuery(userId, useDeferredValue(text)))

  if (value) {
    return (
      <div className="grid gap-1.5">
        <p className="text-sm font-medium">{label}</p>
        <p className="flex min-h-11 items-center justify-between gap-2 rounded-md border bg-card pl-3">
          <span className="truncate">{value.name}</span>
          <Button variant="ghost" size="icon" aria-label={`Togli ${value.name}`} onClick={() => onChoose(null)}>
            <XIcon aria-hidden />
          </Button>
        </p>
      </div>
    )
  }
  return (
    <div className="grid gap-1.5">
      <Label htmlFor={id}>{label}</Label>
      <Input
        id={id}
        value={text}
        autoComplete="off"
        placeholder="Cerca un contatto"
        onChange={(event) => setText(event.target.value)}
      />
      {text && found.data && (
        <div role="group" aria-label={`Contatti per ${label.toLowerCase()}`} className="flex flex-wrap gap-2">
          {found.data.map((contact) => (
            <Button
              key={contact.id}
              variant="outline"
              size="sm"
              className="max-w-full"
              onClick={() => {
                setText('')
                onChoose(contact)
              }}
            >
              <span className="truncate">{contact.name}</span>
            </Button>
          ))}
          {found.data.length === 0 && (
            <p role="status" className="text-sm text-muted-foreground">
              Nessun contatto con questo nome.
            </p>
          )}
        </div>
      )}
    </div>
  )
}
