/** The documents of the list, of which only those in sight are drawn; `j`, `k` move, Invio opens, `x` selects. */
import { clsx } from 'clsx'
import { useMemo } from 'react'

import type { ListedDocument } from '@/data/documents'
import type { DocumentActions } from '@/features/documents/document-menu'
import { columns, DocumentRow } from '@/features/documents/document-row'
import { useWindowRows } from '@/lib/window-rows'

const HEADINGS = ['Nome', 'Contatto', 'Data', 'Scadenza', 'Totale', 'Stato']
const ROW_HEIGHT = 68

/** A line: a document, or one of those that lie in the document above it. */
export type DocumentLine = { document: ListedDocument; isInside: boolean; isOpen: boolean | null }

type Props = {
  label: string
  lines: DocumentLine[]
  selected: ReadonlySet<string>
  actions: DocumentActions
  onSelect: (id: string) => void
  onToggle: (id: string) => void
  onEnd: () => void
}

export function DocumentTable({ label, lines, selected, actions, onSelect, onToggle, onEnd }: Props) {
  const ids = useMemo(() => lines.map(({ document }) => document.id), [lines])
  const { body, height, measure, rows, setActive } = useWindowRows({
    ids,
    rowHeight: ROW_HEIGHT,
    onSelect,
    onEnd,
  })

  return (
    <div role="table" aria-label={label} aria-rowcount={lines.length + 1} className="rounded-md border bg-card">
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
            <span key={heading} role="columnheader" className={clsx(heading === 'Totale' && 'text-right')}>
              {heading}
            </span>
          ))}
          <span role="columnheader">
            <span className="sr-only">Azioni</span>
          </span>
        </div>
      </div>
      <div
        ref={body}
        role="rowgroup"
        className="relative overflow-hidden border-t max-lg:border-t-0"
        style={{ height }}
      >
        {rows.map(({ index, key, offset }) => {
          const line = lines[index]
          if (!line) return null
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
              <DocumentRow
                {...line}
                index={index}
                isSelected={selected.has(line.document.id)}
                actions={actions}
                onSelect={onSelect}
                onToggle={onToggle}
                onFocus={setActive}
              />
            </div>
          )
        })}
      </div>
    </div>
  )
}
