import { useQuery } from '@tanstack/react-query'
import { XIcon } from 'lucide-react'
import { type FormEvent, useId, useState } from 'react'
import { toast } from 'sonner'

import { Button } from '@/components/ui/button'
import { Card } from '@/components/ui/card'
import { Input } from '@/components/ui/input'
import { Label } from '@/components/ui/label'
import { tagsQuery } from '@/data/contacts-labels'
import { useAddTag, useRemoveTag, type WholeDocument } from '@/data/document'

const failed = () => toast.error('Non siamo riusciti a salvare l’etichetta: riprova')

/** The tags of the document, the same ones that contacts have. */
export function TagsCard({ document, userId }: { document: WholeDocument; userId: string }) {
  const id = useId()
  const [typed, setTyped] = useState('')
  const { data: known = [] } = useQuery(tagsQuery(userId))
  const add = useAddTag(userId, document)
  const remove = useRemoveTag(userId, document)

  function send(event: FormEvent) {
    event.preventDefault()
    const name = typed.replaceAll(/\s+/g, ' ').trim()
    setTyped('')
    const isThere = document.tags.some(({ tag }) => tag.name.toLocaleLowerCase('it') === name.toLocaleLowerCase('it'))
    if (name && !isThere) add.mutate(name, { onError: failed })
  }

  function takeOff(tag: WholeDocument['tags'][number]['tag']) {
    remove.mutate(tag, {
      onError: failed,
      onSuccess: () =>
        toast.success(`Etichetta ${tag.name} tolta`, {
          action: { label: 'Annulla', onClick: () => add.mutate(tag.name, { onError: failed }) },
        }),
    })
  }

  return (
    <Card className="gap-3">
      <Label htmlFor={id} className="text-base font-semibold">
        Etichette
      </Label>
      {document.tags.length > 0 && (
        <ul aria-label="Etichette del documento" className="flex flex-wrap gap-1.5">
          {document.tags.map(({ tag }) => (
            <li key={tag.id}>
              <button
                type="button"
                aria-label={`Togli l’etichetta ${tag.name}`}
                onClick={() => takeOff(tag)}
                className="flex min-h-9 items-center gap-1 rounded-full bg-secondary py-1 pr-2 pl-3 text-sm font-medium text-secondary-foreground"
              >
                {tag.name}
                <XIcon aria-hidden className="size-3.5" />
              </button>
            </li>
          ))}
        </ul>
      )}
      <form className="flex gap-2" onSubmit={send}>
        <Input
          id={id}
          list={`${id}-known`}
          autoComplete="off"
          maxLength={60}
          placeholder="Nuova etichetta"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <datalist id={`${id}-known`}>
          {known.map((tag) => (
            <option key={tag.id}>{tag.name}</option>
          ))}
        </datalist>
        <Button variant="outline">Aggiungi</Button>
      </form>
    </Card>
  )
}
