/** The contacts of the list, of which only those in sight are drawn; `j`, `k` move, Invio opens, `x` selects. */
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { clsx } from 'clsx'
import { useEffect, useRef, useState } from 'react'

import type { ListedContact } from '@/data/contacts'
import { columns, ContactRow } from '@/features/crm/contact-row'
import { useShortcut } from '@/lib/shortcut'

const HEADINGS = ['Nome', 'Azienda', 'Tag', 'Ultimo contatto', 'Prossimo passo', 'Consensi', 'Origine']
/** So many lines before the end the next page is asked for. */
const AHEAD = 30
const ROW_HEIGHT = 66

type Props = {
  label: string
  contacts: ListedContact[]
  selected: ReadonlySet<string>
  onSelect: (id: string) => void
  onEnd: () => void
}

export function ContactTable({ label, contacts, selected, onSelect, onEnd }: Props) {
  const body = useRef<HTMLDivElement>(null)
  const [top, setTop] = useState(0)
  const [active, setActive] = useState(-1)
  // Nothing here is memoized, so its functions may change.
  // oxlint-disable-next-line react/incompatible-library
  const virtualizer = useWindowVirtualizer({
    count: contacts.length,
    estimateSize: () => ROW_HEIGHT,
    overscan: 12,
    scrollMargin: top,
    // What j and k go to stands clear of the top bar and of the navigation.
    scrollPaddingStart: 72,
    scrollPaddingEnd: 112,
    getItemKey: (index) => contacts[index]?.id ?? index,
  })
  const items = virtualizer.getVirtualItems()
  const isNearEnd = (items.at(-1)?.index ?? 0) >= contacts.length - AHEAD

  // What stands above the list changes its height, and with it the page's.
  useEffect(() => {
    const observer = new ResizeObserver(() => {
      if (body.current) setTop(Math.round(body.current.getBoundingClientRect().top + window.scrollY))
    })
    observer.observe(document.body)
    return () => observer.disconnect()
  }, [])
  useEffect(() => {
    if (isNearEnd) onEnd()
  }, [isNearEnd, contacts.length, onEnd])

  function move(step: 1 | -1) {
    const from = active === -1 ? (virtualizer.range?.startIndex ?? 0) - 1 : active
    const next = Math.min(Math.max(from + step, 0), contacts.length - 1)
    const id = contacts[next]?.id
    if (!id) return
    setActive(next)
    virtualizer.scrollToIndex(next)
    // Drawn in the next frame when it was out of sight.
    requestAnimationFrame(() => body.current?.querySelector<HTMLElement>(`[data-contact="${id}"]`)?.focus())
  }
  useShortcut('j', () => move(1))
  useShortcut('k', () => move(-1))
  useShortcut('x', () => {
    const id = contacts[active]?.id
    if (id) onSelect(id)
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
        style={{ height: virtualizer.getTotalSize() }}
      >
        {items.map(({ index, key, start }) => {
          const contact = contacts[index]
          if (!contact) return null
          return (
            <div
              key={key}
              ref={virtualizer.measureElement}
              data-index={index}
              role="row"
              aria-rowindex={index + 2}
              className="absolute inset-x-0 top-0 border-b last:border-b-0"
              style={{ transform: `translateY(${start - top}px)` }}
            >
              <ContactRow
                contact={contact}
                isSelected={selected.has(contact.id)}
                onSelect={() => onSelect(contact.id)}
                onFocus={() => setActive(index)}
              />
            </div>
          )
        })}
      </div>
    </div>
  )
}
