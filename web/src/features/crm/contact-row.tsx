/** One contact of the list: a line of a table on wide screens, a card on small ones. */
import { clsx } from 'clsx'
import { memo, type ReactNode } from 'react'
import { Link } from 'react-router'

import { Badge } from '@/components/ui/badge'
import type { ListedContact } from '@/data/contacts'
import { ConsentPills } from '@/features/crm/consent-pills'
import { isDue, touchLabel } from '@/features/crm/cadence'
import { paths } from '@/paths'
import { contactOrigins } from '@/strings/crm'
import { fullDate, relativeTime } from '@/strings/dates'

/** The columns of a line, of its heading too. */
export const columns =
  'md:max-lg:grid-cols-[2.75rem_minmax(0,1.5fr)_minmax(0,1fr)_12rem] md:max-lg:items-center md:max-lg:gap-x-3 lg:grid-cols-[2.75rem_minmax(0,2.2fr)_minmax(0,1.3fr)_minmax(0,1.3fr)_7rem_10.5rem_5rem_7rem] lg:items-center lg:gap-x-3'

type Props = {
  contact: ListedContact
  /** Its place in the list. */
  index: number
  isSelected: boolean
  onSelect: (id: string) => void
  /** The line that `j`, `k` and `x` act on. */
  onFocus: (index: number) => void
}

/** Drawn again only when it changes, not at every step of scrolling. */
export const ContactRow = memo(function ContactRow({ contact, index, isSelected, onSelect, onFocus }: Props) {
  const { id, name, email, phone, company_name, job_title, tags, last_interaction_at, consents, origin } = contact
  return (
    <div
      onFocus={() => onFocus(index)}
      className={clsx(
        'relative grid grid-cols-[2.75rem_minmax(0,1fr)] gap-y-1 px-2 py-2.5 transition-colors hover:bg-muted',
        'lg:min-h-16',
        columns,
        isSelected && 'bg-secondary hover:bg-secondary',
      )}
    >
      <div role="cell" className="max-md:row-span-6 md:max-lg:row-span-2">
        {/* Larger than the box itself: 44 px for a thumb. */}
        <label className="grid size-11 cursor-pointer place-items-center">
          <input
            type="checkbox"
            aria-label={`Seleziona ${name}`}
            checked={isSelected}
            onChange={() => onSelect(id)}
            className="size-4.5 accent-primary"
          />
        </label>
      </div>
      <div role="cell" className="grid min-w-0 content-center gap-0.5 max-lg:min-h-11">
        <Link
          to={paths.crmContact(id)}
          data-row={id}
          className="truncate rounded-sm font-medium hover:underline focus-visible:-outline-offset-2"
        >
          {name}
        </Link>
        {(email ?? phone) && (
          <span className="truncate text-sm text-muted-foreground">{[email, phone].filter(Boolean).join(' · ')}</span>
        )}
      </div>
      <Cell isEmpty={!company_name && !job_title} className="md:max-lg:col-start-3 md:max-lg:row-start-1">
        <span className="block truncate">{company_name ?? job_title}</span>
        {company_name && job_title && <span className="block truncate text-muted-foreground">{job_title}</span>}
      </Cell>
      <Cell isEmpty={tags.length === 0} className="md:max-lg:col-start-2 md:max-lg:row-start-2">
        <span className="flex flex-wrap gap-1">
          {tags.slice(0, 3).map((tag) => (
            <Badge key={tag} variant="outline" className="max-w-full">
              <span className="truncate">{tag}</span>
            </Badge>
          ))}
          {tags.length > 3 && (
            <span className="text-xs text-muted-foreground" title={tags.join(', ')}>
              +{tags.length - 3}
            </span>
          )}
        </span>
      </Cell>
      <Cell
        isEmpty={!last_interaction_at}
        label={<span className="text-muted-foreground lg:sr-only">Ultimo contatto: </span>}
        className="md:max-lg:col-start-4 md:max-lg:row-start-2"
      >
        {last_interaction_at && (
          <time dateTime={last_interaction_at} title={fullDate(last_interaction_at)}>
            {relativeTime(last_interaction_at)}
          </time>
        )}
      </Cell>
      <Cell
        isEmpty={!contact.next_touch_at}
        label={<span className="text-muted-foreground md:sr-only">Prossimo passo: </span>}
        className="md:max-lg:col-start-4 md:max-lg:row-start-1"
      >
        {isDue(contact) ? <Badge variant="notice">{touchLabel(contact)}</Badge> : touchLabel(contact)}
      </Cell>
      <Cell isEmpty={Object.keys(consents).length === 0} className="md:max-lg:col-start-3 md:max-lg:row-start-2">
        <ConsentPills consents={consents} />
      </Cell>
      <Cell isEmpty={false} className="max-lg:hidden">
        <span className="text-muted-foreground">{contactOrigins[origin]}</span>
      </Cell>
    </div>
  )
})

type CellProps = {
  /** Takes no room on a card. */
  isEmpty: boolean
  /** What the heading of the column says, for a card. */
  label?: ReactNode
  className?: string
  children: ReactNode
}

function Cell({ isEmpty, label, className, children }: CellProps) {
  return (
    <div role="cell" className={clsx('min-w-0 text-sm max-md:col-start-2', isEmpty && 'max-lg:hidden', className)}>
      {label}
      {isEmpty ? <span className="text-muted-foreground">—</span> : children}
    </div>
  )
}
