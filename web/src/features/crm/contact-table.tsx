/** The contacts of the list, of which only those in sight are drawn; `j`, `k` move, Invio opens, `x` selects. */
import { clsx } from 'clsx'
import { ArrowDownIcon, ArrowUpIcon } from 'lucide-react'
import { useMemo } from 'react'

import type { ContactOrder, ListedContact } from '@/data/contacts'
import { columns, columnsShown, templateOf } from '@/features/crm/contact-columns'
import { ContactRow } from '@/features/crm/contact-row'
import type { ColumnId, ListSettings } from '@/features/crm/list-settings'
import { useMedia } from '@/lib/use-media'
import { useWindowRows } from '@/lib/window-rows'

const ROW_HEIGHT = { compact: 37, comfortable: 57 }
/** In rem, what the columns may take from each width of the screen on. */
const ROOM = { md: 44, lg: 60, xl: 71 }

type Props = {
  label: string
  contacts: ListedContact[]
  settings: ListSettings
  /** Null: a search brings its own order. */
  order: ContactOrder | null
  selected: ReadonlySet<string>
  onOrder: (order: ContactOrder) => void
  onSelect: (id: string) => void
  onEnd: () => void
}

/** Null on a phone. */
function useShown(chosen: readonly ColumnId[], contacts: readonly ListedContact[]): ColumnId[] | null {
  const isMedium = useMedia('(min-width: 48rem)')
  const isLarge = useMedia('(min-width: 64rem)')
  const isWide = useMedia('(min-width: 77rem)')
  const room = isWide ? ROOM.xl : isLarge ? ROOM.lg : ROOM.md
  return useMemo(() => (isMedium ? columnsShown(chosen, contacts, room) : null), [isMedium, chosen, contacts, room])
}

export function ContactTable({ label, contacts, settings, order, selected, onOrder, onSelect, onEnd }: Props) {
  const ids = useMemo(() => contacts.map(({ id }) => id), [contacts])
  const shown = useShown(settings.columns, contacts)
  const template = shown ? templateOf(shown) : '2.75rem minmax(0,1fr)'
  const { body, height, measure, rows, setActive } = useWindowRows({
    ids,
    rowHeight: ROW_HEIGHT[shown ? settings.density : 'comfortable'],
    onSelect,
    onEnd,
  })

  return (
    <div role="table" aria-label={label} aria-rowcount={contacts.length + 1} className="rounded-md border bg-card">
      <div role="rowgroup" className={clsx(!shown && 'sr-only')}>
        <div
          role="row"
          aria-rowindex={1}
          style={{ gridTemplateColumns: template }}
          className="grid items-center gap-x-3 px-2 text-xs font-medium text-muted-foreground"
        >
          <span role="columnheader">
            <span className="sr-only">Selezione</span>
          </span>
          <Heading text="Nome" by="name" order={order} onOrder={onOrder} />
          {shown ? (
            shown.map((id) => (
              <Heading
                key={id}
                text={columns[id].heading}
                by={columns[id].order}
                isRight={columns[id].isRight}
                order={order}
                onOrder={onOrder}
              />
            ))
          ) : (
            <span role="columnheader">Ti deve, ultimo contatto</span>
          )}
        </div>
      </div>
      <div
        ref={body}
        role="rowgroup"
        className={clsx('relative overflow-hidden', shown && 'border-t')}
        style={{ height }}
      >
        {rows.map(({ index, key, offset }) => {
          const contact = contacts[index]
          if (!contact) return null
          return (
            <div
              key={key}
              ref={measure}
              data-index={index}
              role="row"
              aria-rowindex={index + 2}
              className="absolute inset-x-0 top-0 border-b last:border-b-0"
              style={{ transform: `translateY(${offset}px)` }}
            >
              <ContactRow
                contact={contact}
                index={index}
                isSelected={selected.has(contact.id)}
                shown={shown}
                density={settings.density}
                template={template}
                onSelect={onSelect}
                onFocus={setActive}
              />
            </div>
          )
        })}
      </div>
    </div>
  )
}

type HeadingProps = {
  text: string
  /** The order that a click on it brings. */
  by?: ContactOrder | undefined
  isRight?: boolean | undefined
  order: ContactOrder | null
  onOrder: (order: ContactOrder) => void
}

function Heading({ text, by, isRight, order, onOrder }: HeadingProps) {
  const isOrder = by !== undefined && by === order
  const direction = by === 'name' ? 'ascending' : 'descending'
  const Arrow = by === 'name' ? ArrowUpIcon : ArrowDownIcon
  return (
    <span
      role="columnheader"
      aria-sort={isOrder ? direction : undefined}
      className={clsx('min-w-0', isRight && 'text-right')}
    >
      {by && order ? (
        <button
          type="button"
          onClick={() => onOrder(by)}
          className="inline-flex min-h-9 max-w-full items-center gap-1 hover:text-foreground pointer-coarse:min-h-11"
        >
          <span className="truncate">{text}</span>
          {isOrder && <Arrow aria-hidden className="size-3.5 shrink-0" />}
        </button>
      ) : (
        <span className="block truncate py-2">{text}</span>
      )}
    </span>
  )
}
