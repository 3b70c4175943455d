/** The tags of a contact: chips that can be taken off, and a field whose Enter or comma adds one. */
import { useQuery } from '@tanstack/react-query'
import { XIcon } from 'lucide-react'
import { useId, useState } from 'react'
import { useController } from 'react-hook-form'

import { Input } from '@/components/ui/input'
import { Label } from '@/components/ui/label'
import type { ContactValues } from '@/data/contacts-form'
import { tagsQuery } from '@/data/contacts-labels'

const same = (a: string, b: string) => a.toLocaleLowerCase('it') === b.toLocaleLowerCase('it')

export function TagsField({ userId }: { userId: string }) {
  const id = useId()
  const { field } = useController<ContactValues, 'tags'>({ name: 'tags' })
  const { data: known = [] } = useQuery(tagsQuery(userId))
  const [typed, setTyped] = useState('')

  function add(text: string) {
    const names = text.split(',').map((name) => name.replaceAll(/\s+/g, ' ').trim().slice(0, 60))
    const fresh = names.filter((name) => name && !field.value.some((one) => same(one, name)))
    // As it is written already, whatever was typed now.
    field.onChange([...field.value, ...fresh.map((name) => known.find((tag) => same(tag.name, name))?.name ?? name)])
    setTyped('')
  }

  return (
    <div className="grid gap-1.5">
      <Label htmlFor={id}>Tag</Label>
      {field.value.length > 0 && (
        <ul aria-label="Tag scelti" className="flex flex-wrap gap-1.5">
          {field.value.map((name) => (
            <li key={name}>
              <button
                type="button"
                aria-label={`Togli il tag ${name}`}
                onClick={() => field.onChange(field.value.filter((one) => one !== name))}
                className="flex min-h-9 items-center gap-1 rounded-full bg-secondary py-1 pr-2 pl-3 text-sm font-medium text-secondary-foreground"
              >
                {name}
                <XIcon aria-hidden className="size-3.5" />
              </button>
            </li>
          ))}
        </ul>
      )}
      <Input
        id={id}
        value={typed}
        list={`${id}-known`}
        autoComplete="off"
        maxLength={120}
        aria-describedby={`${id}-help`}
        onChange={({ target }) => (target.value.includes(',') ? add(target.value) : setTyped(target.value))}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          event.preventDefault()
          add(typed)
        }}
        onBlur={() => add(typed)}
      />
      <datalist id={`${id}-known`}>
        {known.map((tag) => (
          <option key={tag.id}>{tag.name}</option>
        ))}
      </datalist>
      <p id={`${id}-help`} className="text-sm text-muted-foreground">
        Invio o una virgola per aggiungerne uno.
      </p>
    </div>
  )
}
