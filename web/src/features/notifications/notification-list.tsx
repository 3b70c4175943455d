/** Notifications grouped by day; `j` and `k` move between them, `x` selects, and several are acted on at once. */
import { CheckCheckIcon, Trash2Icon } from 'lucide-react'
import { type RefObject, useRef, useState } from 'react'

import { ActionBar } from '@/components/action-bar'
import { Button } from '@/components/ui/button'
import { Kbd } from '@/components/ui/kbd'
import { type Notification, useMarkRead } from '@/data/notifications'
import { NotificationRow } from '@/features/notifications/notification-row'
import { useDeletion } from '@/features/notifications/use-deletion'
import { useShortcut } from '@/lib/shortcut'
import { dayLabel } from '@/strings/dates'

type Props = {
  rows: Notification[]
  /** What has the focus once the last one is gone. */
  heading: RefObject<HTMLElement | null>
}

export function NotificationList({ rows, heading }: Props) {
  const list = useRef<HTMLDivElement>(null)
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const markRead = useMarkRead()
  const remove = useDeletion()
  const days = Map.groupBy(rows, (row) => dayLabel(row.created_at))
  // What has gone meanwhile is not selected any more.
  const selected = rows.filter(({ id }) => chosen.has(id))

  function toggle(id: string) {
    const next = new Set(chosen)
    if (!next.delete(id)) next.add(id)
    setChosen(next)
  }

  /** The rows, and the place of the one with the focus. */
  function focused(): [HTMLElement[], number] {
    const items = [...(list.current?.querySelectorAll<HTMLElement>('[data-row]') ?? [])]
    return [items, items.findIndex((item) => item.closest('li')?.contains(document.activeElement))]
  }

  function move(step: 1 | -1) {
    const [items, at] = focused()
    // Nothing focused yet: `j` starts at the first row, `k` at the last.
    const next = at === -1 ? (step === 1 ? 0 : items.length - 1) : at + step
    items[next]?.focus()
  }

  /** Off the row that is about to go: with it the focus would be lost. */
  function removeOne(id: string) {
    const [items, at] = focused()
    if (at !== -1) (items[at + 1] ?? items[at - 1] ?? heading.current)?.focus()
    remove([id])
  }

  function removeSelected() {
    heading.current?.focus()
    remove(selected.map(({ id }) => id))
    setChosen(new Set())
  }

  function readSelected() {
    markRead.mutate(selected.filter((row) => !row.is_read).map(({ id }) => id))
    setChosen(new Set())
  }

  useShortcut('j', () => move(1))
  useShortcut('k', () => move(-1))

  return (
    <div ref={list} className="grid gap-6">
      {selected.length > 0 && (
        <ActionBar
          label="Azioni sulle notifiche selezionate"
          count={selected.length === 1 ? '1 selezionata' : `${selected.length} selezionate`}
          onClear={() => setChosen(new Set())}
        >
          {selected.length < rows.length && (
            <Button variant="outline" size="sm" onClick={() => setChosen(new Set(rows.map(({ id }) => id)))}>
              Tutte ({rows.length})
            </Button>
          )}
          {selected.some((row) => !row.is_read) && (
            <Button variant="outline" size="sm" onClick={readSelected}>
              <CheckCheckIcon aria-hidden /> Segna come lette
            </Button>
          )}
          <Button variant="outline" size="sm" onClick={removeSelected}>
            <Trash2Icon aria-hidden /> Elimina
          </Button>
        </ActionBar>
      )}
      {[...days].map(([day, ofDay]) => (
        <section key={day}>
          <h2 className="mb-2 text-sm font-medium text-muted-foreground">{day}</h2>
          <ul className="divide-y overflow-hidden rounded-md border bg-card">
            {ofDay.map((row) => (
              <NotificationRow
                key={row.id}
                row={row}
                isSelected={chosen.has(row.id)}
                onSelect={() => toggle(row.id)}
                onDelete={() => removeOne(row.id)}
              />
            ))}
          </ul>
        </section>
      ))}
      <p className="hidden text-xs text-muted-foreground lg:block">
        <Kbd>j</Kbd> e <Kbd>k</Kbd> per muoverti, <Kbd>x</Kbd> per selezionare, <Kbd>Canc</Kbd> per eliminare
      </p>
    </div>
  )
}
