/** The contacts of the list, of which only those in sight are drawn; `j`, `k` move, Invio opens, `x` selects. */
import { clsx } from 'clsx'
import { useMemo } from 'react'

import type { ListedContact } from '@/data/contacts'
import { columns, ContactRow } from '@/features/crm/contact-row'
import { useWindowRows } from '@/lib/window-rows'

const HEADINGS = ['Nome', 'Azienda', 'Tag', 'Ultimo contatto', 'Prossimo passo', 'Consensi', 'Origine']
const ROW_HEIGHT = 66

type Props = {
  label: string
  contacts: ListedContact[]
  selected: ReadonlySet<string>
  onSelect: (id: string) => void
  onEnd: () => void
}

export function ContactTable({ label, contacts, selected, onSelect, onEnd }: Props) {
  const ids = useMemo(() => contacts.map(({ id }) => id), [contacts])
  const { body, height, measure, rows, setActive } = useWindowRows({
    ids,
    rowHeight: ROW_HEIGHT,
    onSelect,
    onEnd,
  })

  return (
    <div role="table" aria-label={label} aria-rowcount={contacts.length + 1} className="rounded-md border bg-card">
      <div role="rowgroup" className="max-lg:sr-only">
        <div
          role="row"
          aria-rowindex={1}
          className={clsx('grid px-2 py-2 text-xs font-medium text-muted-foreground', columns)}
        >
          <span role="columnheader">
            <span className="sr-only">Selezione</span>
          </span>
          {HEADINGS.map((heading) => (
            <span key={heading} role="columnheader">
              {heading}
            </span>
          ))}
        </div>
      </div>
      <div
        ref={body}
        role="rowgroup"
        className="relative overflow-hidden border-t max-lg:border-t-0"
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
