/** One contact of the list: a line of a table on wide screens, two lines on a phone. */
import { clsx } from 'clsx'
import { memo } from 'react'
import { Link } from 'react-router'

import type { ListedContact } from '@/data/contacts'
import { columns, lastHeard, owed } from '@/features/crm/contact-columns'
import type { ColumnId, Density } from '@/features/crm/list-settings'
import { paths } from '@/paths'

type Props = {
  contact: ListedContact
  /** Its place in the list. */
  index: number
  isSelected: boolean
  /** Null on a phone, where a line is a card. */
  shown: readonly ColumnId[] | null
  density: Density
  /** The widths of the columns. */
  template: string
  onSelect: (id: string) => void
  /** The line that `j`, `k` and `x` act on. */
  onFocus: (index: number) => void
}

/** Drawn again only when it changes, not at every step of scrolling. */
export const ContactRow = memo(function ContactRow(props: Props) {
  const { contact, index, isSelected, shown, density, template, onSelect, onFocus } = props
  const { id, name, job_title: jobTitle } = contact
  const isCompact = density === 'compact' && shown !== null
  return (
    <div
      onFocus={() => onFocus(index)}
      style={{ gridTemplateColumns: template }}
      className={clsx(
        'relative grid items-center gap-x-3 px-2 text-sm transition-colors hover:bg-muted pointer-coarse:min-h-11',
        isCompact ? 'min-h-9' : 'min-h-14 py-1',
        isSelected && 'bg-secondary hover:bg-secondary',
      )}
    >
      <div role="cell">
        {/* Larger than the box itself: 44 px for a thumb. */}
        <label
          className={clsx(
            'grid w-11 cursor-pointer place-items-center pointer-coarse:h-11',
            isCompact ? 'h-9' : 'h-11',
          )}
        >
          <input
            type="checkbox"
            aria-label={`Seleziona ${name}`}
            checked={isSelected}
            onChange={() => onSelect(id)}
            className="size-4.5 accent-primary"
          />
        </label>
      </div>
      <div role="cell" className="grid min-w-0 content-center">
        <Link
          to={paths.crmContact(id)}
          data-row={id}
          className={clsx(
            'truncate rounded-sm font-medium hover:underline focus-visible:-outline-offset-2',
            shown === null && 'text-base after:absolute after:inset-0 after:left-13',
          )}
        >
          {name}
        </Link>
        {shown !== null && !isCompact && jobTitle && <span className="truncate text-muted-foreground">{jobTitle}</span>}
      </div>
      {shown === null ? (
        <CardLine contact={contact} />
      ) : (
        shown.map((column) => <Cell key={column} column={column} contact={contact} />)
      )}
    </div>
  )
})

function Cell({ column, contact }: { column: ColumnId; contact: ListedContact }) {
  const { cell, isRight } = columns[column]
  return (
    <div role="cell" className={clsx('min-w-0 truncate', isRight && 'text-right')}>
      {cell(contact) || <span className="text-muted-foreground">{column === 'last' ? 'mai' : '—'}</span>}
    </div>
  )
}

/** On a phone: what they owe, and when they were last heard. */
function CardLine({ contact }: { contact: ListedContact }) {
  const money = owed(contact)
  const heard = lastHeard(contact)
  return (
    <div role="cell" className="col-start-2 flex min-w-0 flex-wrap gap-x-2 text-muted-foreground">
      {money && (
        <span>
          Ti deve <span className="text-foreground">{money}</span>
        </span>
      )}
      <span>{heard ? <>Sentito {heard}</> : 'Mai sentito'}</span>
    </div>
  )
}
