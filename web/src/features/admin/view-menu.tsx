/** Saved views of the admin screens: open one, save what the address shows, rename or delete the one that is open. */
import { useQuery } from '@tanstack/react-query'
import { BookmarkIcon, BookmarkPlusIcon, ChevronDownIcon, PencilIcon, Trash2Icon } from 'lucide-react'
import { useState } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { toast } from 'sonner'

import { NameDialog } from '@/components/name-dialog'
import { Button } from '@/components/ui/button'
import {
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuItem,
  DropdownMenuLabel,
  DropdownMenuSeparator,
  DropdownMenuTrigger,
} from '@/components/ui/dropdown-menu'
import { type AdminView, adminViewsQuery, useDeleteView, useSaveView } from '@/data/admin-views'
import { useUser } from '@/data/auth-context'
import { adminScreens } from '@/strings/admin'

const MOST = 50
const UNDO_MS = 8_000
// An error that is open is no choice of the screen.
const NOT_OF_A_VIEW = ['errore']

/** The choices of an address, the same for the same choices in another order. */
function queryOf(search: string): string {
  const choices = new URLSearchParams(search)
  for (const name of NOT_OF_A_VIEW) choices.delete(name)
  choices.sort()
  return choices.toString()
}

export function ViewMenu() {
  const { id: userId } = useUser()
  const { pathname: screen, search } = useLocation()
  const navigate = useNavigate()
  const { data: views = [], isSuccess } = useQuery(adminViewsQuery(userId))
  const save = useSaveView(userId)
  const remove = useDeleteView(userId)
  const [named, setNamed] = useState<AdminView>()
  const query = queryOf(search)
  const current = views.find((view) => view.screen === screen && view.query === query)

  function removeView(view: AdminView) {
    const description = view.name
    const undo = () =>
      save.mutate(view, {
        onSuccess: () => toast.success('Vista ripristinata', { description }),
        onError: () => toast.error('Non siamo riusciti a ripristinare la vista: riprova', { description }),
      })
    remove.mutate(view.id, {
      onSuccess: () =>
        toast('Vista eliminata', { description, duration: UNDO_MS, action: { label: 'Annulla', onClick: undo } }),
      onError: () => toast.error('Non siamo riusciti a eliminare la vista: riprova', { description }),
    })
  }

  function check(name: string, id: string): string {
    if (!name) return 'Scrivi un nome'
    const others = views.filter((view) => view.id !== id)
    if (others.some((view) => view.name.toLowerCase() === name.toLowerCase()))
      return 'Hai già una vista con questo nome'
    return others.length >= MOST ? `Hai già ${MOST} viste: eliminane una che non usi` : ''
  }

  return (
    <>
      <DropdownMenu>
        <DropdownMenuTrigger asChild>
          <Button variant="outline" className="max-w-64 justify-self-start" disabled={!isSuccess}>
            <BookmarkIcon aria-hidden />
            <span className="truncate">{current?.name ?? 'Viste'}</span>
            <ChevronDownIcon aria-hidden />
          </Button>
        </DropdownMenuTrigger>
        <DropdownMenuContent align="end" className="max-h-[60dvh] max-w-80 overflow-y-auto">
          {views.map((view) => (
            <DropdownMenuItem key={view.id} onSelect={() => void navigate(`${view.screen}?${view.query}`)}>
              <BookmarkIcon />
              <span className="grid min-w-0">
                <span className="truncate">{view.name}</span>
                <span className="truncate text-xs text-muted-foreground">{screenName(view.screen)}</span>
              </span>
            </DropdownMenuItem>
          ))}
          {views.length === 0 && (
            <DropdownMenuLabel>Scegli periodo, stato o dato, poi salva qui la vista con un nome.</DropdownMenuLabel>
          )}
          {query && views.length > 0 && <DropdownMenuSeparator />}
          {query && !current && (
            <DropdownMenuItem onSelect={() => setNamed({ id: crypto.randomUUID(), name: '', screen, query })}>
              <BookmarkPlusIcon /> Salva questa vista…
            </DropdownMenuItem>
          )}
          {current && (
            <>
              <DropdownMenuItem onSelect={() => setNamed(current)}>
                <PencilIcon /> Rinomina «{current.name}»…
              </DropdownMenuItem>
              <DropdownMenuItem onSelect={() => removeView(current)}>
                <Trash2Icon /> Elimina «{current.name}»
              </DropdownMenuItem>
            </>
          )}
        </DropdownMenuContent>
      </DropdownMenu>
      {named && (
        <NameDialog
          title={named.name ? 'Rinomina la vista' : 'Salva la vista'}
          text={`${screenName(named.screen)}, come la vedi adesso. La vedi solo tu.`}
          label="Nome della vista"
          initial={named.name}
          submit="Salva"
          done="Vista salvata"
          check={(name) => check(name, named.id)}
          onSubmit={(name) => save.mutateAsync({ ...named, name })}
          onClose={() => setNamed(undefined)}
        />
      )}
    </>
  )
}

const screenName = (path: string): string => adminScreens.find(({ to }) => to === path)?.label ?? path
