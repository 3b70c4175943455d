/** Names a contact: a box that finds contacts while one types (ARIA's combobox with a list). */
import { useQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { XIcon } from 'lucide-react'
import { type KeyboardEvent, useDeferredValue, useId, useState } from 'react'

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
  return (
    <div className="grid gap-1.5">
      <Label htmlFor={id}>{label}</Label>
      {value ? (
        <div className="flex h-11 items-center justify-between rounded-md border border-input bg-muted pl-3">
          <span className="truncate">{value.name}</span>
          <Button
            id={id}
            type="button"
            variant="ghost"
            size="icon"
            aria-label={`Togli ${value.name}`}
            onClick={() => onChoose(null)}
          >
            <XIcon aria-hidden />
          </Button>
        </div>
      ) : (
        <Search id={id} userId={userId} onChoose={onChoose} />
      )}
    </div>
  )
}

type SearchProps = { id: string; userId: string; onChoose: (contact: FoundContact) => void }

function Search({ id, userId, onChoose }: SearchProps) {
  const [text, setText] = useState('')
  const [active, setActive] = useState(0)
  const { data = [], isFetched } = useQuery(contactSearchQuery(userId, useDeferredValue(text)))
  const isOpen = text.trim() !== '' && isFetched

  function onKeyDown(event: KeyboardEvent) {
    if (!isOpen) return
    const chosen = data[active]
    if (event.key === 'Enter' && chosen) onChoose(chosen)
    else if (event.key === 'ArrowDown') setActive(Math.min(active + 1, data.length - 1))
    else if (event.key === 'ArrowUp') setActive(Math.max(active - 1, 0))
    else return
    event.preventDefault()
  }

  return (
    <div className="relative">
      <Input
        id={id}
        role="combobox"
        aria-expanded={isOpen}
        aria-controls={`${id}-list`}
        aria-activedescendant={isOpen && data[active] ? `${id}-${active}` : undefined}
        aria-autocomplete="list"
        autoComplete="off"
        placeholder="Cerca per nome"
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          setActive(0)
        }}
        onKeyDown={onKeyDown}
      />
      <div
        id={`${id}-list`}
        role="listbox"
        aria-label="Contatti trovati"
        hidden={!isOpen || data.length === 0}
        className="absolute inset-x-0 top-full z-10 mt-1 max-h-56 overflow-y-auto rounded-md border bg-popover py-1 shadow-float"
      >
        {data.map((contact, index) => (
          <div
            key={contact.id}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === active}
            className={clsx('cursor-pointer truncate px-3 py-2.5 text-sm', index === active && 'bg-muted')}
            // Before the field loses the focus, and with it the list.
            onPointerDown={() => onChoose(contact)}
          >
            {contact.name}
          </div>
        ))}
      </div>
      {isOpen && data.length === 0 && (
        <p role="status" className="mt-1 text-sm text-muted-foreground">
          Nessun contatto con questo nome
        </p>
      )}
    </div>
  )
}
