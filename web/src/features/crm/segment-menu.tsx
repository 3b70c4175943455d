/** Saved filters: choose one, keep the current one under a name, throw one away. */
import { useQuery } from '@tanstack/react-query'
import { BookmarkIcon, BookmarkPlusIcon, ChevronDownIcon, Trash2Icon, UsersIcon } from 'lucide-react'
import { useState } from 'react'
import { toast } from 'sonner'

import { Button } from '@/components/ui/button'
import {
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuItem,
  DropdownMenuLabel,
  DropdownMenuSeparator,
  DropdownMenuTrigger,
} from '@/components/ui/dropdown-menu'
import { type ContactFilter, everybody } from '@/data/contacts-filter'
import { segmentsQuery, useDeleteSegment, useSaveSegment } from '@/data/contacts-labels'
import { NameDialog } from '@/components/name-dialog'

type Props = { userId: string; filter: ContactFilter; onChange: (filter: ContactFilter) => void }

const same = (a: ContactFilter, b: ContactFilter) => JSON.stringify(a) === JSON.stringify(b)

export function SegmentMenu({ userId, filter, onChange }: Props) {
  const { data: segments = [] } = useQuery(segmentsQuery(userId))
  const [isNaming, setNaming] = useState(false)
  const save = useSaveSegment()
  const remove = useDeleteSegment(() => toast.error('Non siamo riusciti a eliminare il segmento: riprova'))
  const current = segments.find((segment) => same(segment.filter, filter))
  const isFiltered = filter.all.length > 0

  function removeCurrent() {
    if (!current) return
    const { id, ...segment } = current
    remove.mutate(id)
    toast('Segmento eliminato', {
      description: segment.name,
      action: { label: 'Annulla', onClick: () => save.mutate(segment) },
    })
  }

  return (
    <>
      <DropdownMenu>
        <DropdownMenuTrigger asChild>
          <Button variant="outline" className="max-w-56 max-sm:flex-1">
            <BookmarkIcon aria-hidden />
            <span className="truncate">{current?.name ?? 'Segmenti'}</span>
            <ChevronDownIcon aria-hidden />
          </Button>
        </DropdownMenuTrigger>
        <DropdownMenuContent align="end" className="max-h-[60dvh] max-w-80 overflow-y-auto">
          <DropdownMenuItem onSelect={() => onChange(everybody)}>
            <UsersIcon /> Tutti
          </DropdownMenuItem>
          {segments.map((segment) => (
            <DropdownMenuItem key={segment.id} onSelect={() => onChange(segment.filter)}>
              <BookmarkIcon /> <span className="truncate">{segment.name}</span>
            </DropdownMenuItem>
          ))}
          {segments.length === 0 && (
            <DropdownMenuLabel>Filtra la lista, poi salva qui il filtro con un nome.</DropdownMenuLabel>
          )}
          {(isFiltered || current) && <DropdownMenuSeparator />}
          {isFiltered && !current && (
            <DropdownMenuItem onSelect={() => setNaming(true)}>
              <BookmarkPlusIcon /> Salva questo filtro…
            </DropdownMenuItem>
          )}
          {current && (
            <DropdownMenuItem onSelect={removeCurrent}>
              <Trash2Icon /> Elimina «{current.name}»
            </DropdownMenuItem>
          )}
        </DropdownMenuContent>
      </DropdownMenu>
      {isNaming && (
        <NameDialog
          title="Salva il filtro"
          text="Lo ritrovi tra i segmenti: chi entra nel filtro domani ci sarà già."
          label="Nome del segmento"
          submit="Salva"
          onSubmit={async (name) => {
            await save.mutateAsync({ name, filter })
            toast.success('Segmento salvato', { description: name })
          }}
          onClose={() => setNaming(false)}
        />
      )}
    </>
  )
}
