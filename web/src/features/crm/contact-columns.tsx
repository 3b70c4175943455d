/** The columns of the contact list: what each says, how wide it is, and when it has nothing to say. */
import { clsx } from 'clsx'
import type { ReactNode } from 'react'

import { PhoneNumber } from '@/components/phone-number'
import { Badge } from '@/components/ui/badge'
import type { ContactOrder, ListedContact } from '@/data/contacts'
import { isDue, touchLabel } from '@/features/crm/cadence'
import { ConsentPills } from '@/features/crm/consent-pills'
import type { ColumnId } from '@/features/crm/list-settings'
import { contactOrigins } from '@/strings/crm'
import { fullDate, relativeTime, shortDate } from '@/strings/dates'
import { formatEuro } from '@/strings/numbers'

type Column = {
  heading: string
  /** In rem, at least. */
  width: number
  /** Takes a share of what is left. */
  grows?: boolean
  isRight?: boolean
  order?: ContactOrder
  /** Null: nothing to say about this contact. */
  cell: (contact: ListedContact) => ReactNode
}

export const columns: Record<ColumnId, Column> = {
  company: {
    heading: 'Azienda',
    width: 7,
    grows: true,
    cell: ({ company_name, job_title }) => company_name ?? job_title,
  },
  owed: { heading: 'Ti deve', width: 6.5, isRight: true, order: 'owed_cents', cell: (contact) => owed(contact) },
  last: { heading: 'Ultimo contatto', width: 6.5, order: 'last_interaction_at', cell: (contact) => lastHeard(contact) },
  phone: {
    heading: 'Telefono',
    width: 8.5,
    cell: ({ phone }) => phone && <PhoneNumber value={phone} className="whitespace-nowrap tabular hover:underline" />,
  },
  email: {
    heading: 'Email',
    width: 9,
    grows: true,
    cell: ({ email }) =>
      email && (
        <a href={`mailto:${email}`} className="hover:underline">
          {email}
        </a>
      ),
  },
  city: { heading: 'Città', width: 5.5, cell: ({ address }) => (address as { city?: string } | null)?.city },
  tags: { heading: 'Tag', width: 6, cell: ({ tags }) => tags.length > 0 && <Tags tags={tags} /> },
  task: {
    heading: 'Prossima attività',
    width: 7,
    cell: ({ next_task_at: at }) =>
      at && (
        <time
          dateTime={at}
          className={clsx('whitespace-nowrap tabular', new Date(at) < new Date() && 'text-terracotta')}
        >
          {shortDate(at)}
        </time>
      ),
  },
  touch: { heading: 'Da risentire', width: 10, cell: (contact) => nextTouch(contact) },
  consents: {
    heading: 'Consensi',
    width: 5,
    cell: ({ consents }) => Object.keys(consents).length > 0 && <ConsentPills consents={consents} />,
  },
  origin: { heading: 'Origine', width: 7, cell: ({ origin }) => contactOrigins[origin] },
}

/** What they owe in euros, red what is late of it; other currencies are only named, they cannot be added. */
export function owed({ owed_cents: cents, late_cents: late, owed_currencies: others }: ListedContact): ReactNode {
  if (!cents && !others) return null
  const isLate = Boolean(late && late > 0)
  return (
    <span
      className={clsx('whitespace-nowrap tabular', isLate && 'font-medium text-error')}
      title={isLate ? `Scaduti: ${formatEuro(late ?? 0)}` : undefined}
    >
      {cents ? formatEuro(cents) : ''}
      {cents && others ? ' + ' : ''}
      {others?.join(', ')}
      {isLate && <span className="sr-only"> (in ritardo: {formatEuro(late ?? 0)})</span>}
    </span>
  )
}

/** «3 giorni fa»; null: never. */
export function lastHeard({ last_interaction_at: at }: ListedContact): ReactNode {
  if (!at) return null
  return (
    <time dateTime={at} title={fullDate(at)} className="whitespace-nowrap">
      {relativeTime(at)}
    </time>
  )
}

function nextTouch(contact: ListedContact): ReactNode {
  if (!contact.next_touch_at) return null
  return isDue(contact) ? <Badge variant="notice">{touchLabel(contact)}</Badge> : touchLabel(contact)
}

function Tags({ tags }: { tags: readonly string[] }) {
  return (
    <span className="flex min-w-0 gap-1" title={tags.join(', ')}>
      <Badge variant="outline" className="min-w-0 shrink!">
        <span className="truncate">{tags[0]}</span>
      </Badge>
      {tags.length > 1 && <span className="text-xs text-muted-foreground">+{tags.length - 1}</span>}
    </span>
  )
}

/** Between two columns, in rem. */
const GAP = 0.75
/** The box to select with, the name, and what is around them. */
const FIXED = 14.5

/** Of the chosen columns those that say something of anybody here, as many as fit: the first ones. */
export function columnsShown(
  chosen: readonly ColumnId[],
  contacts: readonly ListedContact[],
  room: number,
): ColumnId[] {
  let left = room - FIXED
  const used = chosen.filter((id) => contacts.some((contact) => Boolean(columns[id].cell(contact))))
  const end = used.findIndex((id) => {
    left -= columns[id].width + GAP
    return left < 0
  })
  return end === -1 ? used : used.slice(0, end)
}

export const templateOf = (shown: readonly ColumnId[]): string =>
  [
    '2.75rem minmax(10rem,2fr)',
    ...shown.map((id) => (columns[id].grows ? `minmax(${columns[id].width}rem,1.2fr)` : `${columns[id].width}rem`)),
  ].join(' ')
