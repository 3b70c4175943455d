/** One document of the list: a line of a table on wide screens, a card on small ones. */
import { clsx } from 'clsx'
import { ChevronDownIcon } from 'lucide-react'
import { memo, type ReactNode } from 'react'
import { Link } from 'react-router'

import { Badge } from '@/components/ui/badge'
import { TRASH_DAYS } from '@/data/deletions'
import type { ListedDocument } from '@/data/documents'
import { DocumentIcon } from '@/features/documents/document-icon'
import { type DocumentActions, DocumentMenu } from '@/features/documents/document-menu'
import { StateLabel } from '@/features/documents/state-label'
import { kindOf } from '@/lib/document-types'
import { paths } from '@/paths'
import { fullDate, shortDate } from '@/strings/dates'
import { documentName } from '@/strings/document-name'
import { documentKindLabels } from '@/strings/documents'
import { documentKinds, formatBytes } from '@/strings/files'
import { formatMoney } from '@/strings/numbers'

/** The columns of a line, of its heading too. */
export const columns =
  'lg:grid-cols-[2.75rem_minmax(0,2.4fr)_minmax(0,1fr)_6.75rem_6.75rem_7rem_8rem_2.75rem] lg:items-center lg:gap-x-3'

const DAY_MS = 86_400_000

type Props = {
  document: ListedDocument
  /** Its place in the list. */
  index: number
  isSelected: boolean
  /** It lies in the line above. */
  isInside: boolean
  /** Whether what lies in it is shown; null when nothing does. */
  isOpen: boolean | null
  actions: DocumentActions
  onSelect: (id: string) => void
  onToggle: (id: string) => void
  /** The line that the keys act on. */
  onFocus: (index: number) => void
}

/** Drawn again only when it changes, not at every step of scrolling. */
export const DocumentRow = memo(function DocumentRow(props: Props) {
  const { document, index, isSelected, isInside, isOpen, actions, onSelect, onToggle, onFocus } = props
  const { id, filename, contact, due_on: dueOn, total_cents: total, currency, state } = document
  const name = documentName(document)
  return (
    <div
      onFocus={() => onFocus(index)}
      className={clsx(
        'relative grid grid-cols-[2.75rem_minmax(0,1fr)_2.75rem] gap-y-0.5 px-2 py-2.5 transition-colors hover:bg-muted lg:min-h-16',
        columns,
        isSelected && 'bg-secondary hover:bg-secondary',
        isInside && 'pl-5 lg:pl-8',
      )}
    >
      <div role="cell" className="z-10">
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
      <div role="cell" className="flex min-w-0 items-center gap-3 max-lg:min-h-11">
        <DocumentIcon name={filename} className="max-sm:hidden" />
        <div className="grid min-w-0 gap-0.5">
          {/* The whole line is its target. */}
          <Link
            to={paths.document(id)}
            data-row={id}
            title={name}
            onKeyDown={(event) => event.key === 'Delete' && !document.deleted_at && actions.onTrash(document)}
            className="truncate rounded-sm font-medium after:absolute after:inset-0 focus-visible:-outline-offset-2"
          >
            {name}
          </Link>
          <About document={document} isNamed={name !== filename}>
            {isOpen !== null && (
              <button
                aria-expanded={isOpen}
                aria-label={`Che cosa c’è in ${name}`}
                onClick={() => onToggle(id)}
                className="relative z-10 -my-1 inline-flex items-center gap-0.5 rounded-sm py-1 font-medium text-foreground hover:underline"
              >
                Contenuto
                <ChevronDownIcon aria-hidden className={clsx('size-4 transition-transform', isOpen && 'rotate-180')} />
              </button>
            )}
          </About>
        </div>
      </div>
      <div className="text-sm max-lg:col-start-2 max-lg:flex max-lg:flex-wrap max-lg:gap-x-3 sm:max-lg:pl-9 lg:contents">
        <Cell isEmpty={!contact}>
          {contact && (
            <Link
              to={paths.crmContact(contact.id)}
              className="relative z-10 block truncate rounded-sm hover:underline focus-visible:-outline-offset-2"
            >
              {contact.name}
            </Link>
          )}
        </Cell>
        <Cell isEmpty={false} className="tabular">
          <DocumentDate document={document} />
        </Cell>
        <Cell isEmpty={!dueOn} label="Scade " className="tabular">
          {dueOn && <time dateTime={dueOn}>{shortDate(dueOn)}</time>}
        </Cell>
        <Cell isEmpty={total === null} className="font-medium tabular max-lg:ml-auto lg:text-right">
          {total !== null && formatMoney(total, currency)}
        </Cell>
        {/* On a card only what is not ready is worth a word. */}
        <Cell isEmpty={false} className={clsx(state === 'pronto' && !document.deleted_at && 'max-lg:hidden')}>
          {document.deleted_at ? <Leaving deletedAt={document.deleted_at} /> : <StateLabel state={state} />}
        </Cell>
      </div>
      <div role="cell" className="z-10 max-lg:col-start-3 max-lg:row-start-1">
        <DocumentMenu document={document} actions={actions} />
      </div>
    </div>
  )
})

type AboutProps = {
  document: ListedDocument
  /** Its name above says the kind, so the file name comes here. */
  isNamed: boolean
  children: ReactNode
}

/** What it is, in one line below its name. */
function About({ document, isNamed, children }: AboutProps) {
  const {
    filename,
    bytes,
    kind,
    tags,
    duplicate_of: original,
    deleted_at: deletedAt,
    retention_until: until,
  } = document
  const type = kindOf(filename)
  return (
    <span className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1 text-sm text-muted-foreground">
      {isNamed && <span className="max-w-full truncate">{filename}</span>}
      {kind !== 'altro' && !isNamed && <Badge variant="secondary">{documentKindLabels[kind]}</Badge>}
      {original && <Badge variant="outline">Copia</Badge>}
      {deletedAt && until && <Badge variant="outline">Da conservare fino al {shortDate(until)}</Badge>}
      <span className="tabular">
        {[type && documentKinds[type], bytes !== null && formatBytes(bytes)].filter(Boolean).join(' · ')}
      </span>
      {tags.slice(0, 3).map(({ tag }) => (
        <Badge key={tag.id} variant="outline" className="max-w-32">
          <span className="truncate">{tag.name}</span>
        </Badge>
      ))}
      {children}
    </span>
  )
}

function DocumentDate({ document: { issued_on: issuedOn, created_at: createdAt } }: { document: ListedDocument }) {
  if (issuedOn) return <time dateTime={issuedOn}>{shortDate(issuedOn)}</time>
  return (
    <time dateTime={createdAt} title={`Caricato ${fullDate(createdAt)}`} className="text-muted-foreground">
      {shortDate(createdAt)}
    </time>
  )
}

function Leaving({ deletedAt }: { deletedAt: string }) {
  const day = new Date(Date.parse(deletedAt) + TRASH_DAYS * DAY_MS).toISOString()
  return (
    <span className="text-muted-foreground">
      Fino al <time dateTime={day}>{shortDate(day)}</time>
    </span>
  )
}

type CellProps = {
  /** Takes no room on a card. */
  isEmpty: boolean
  /** What the heading of the column says, for a card. */
  label?: string
  className?: string
  children: ReactNode
}

function Cell({ isEmpty, label, className, children }: CellProps) {
  return (
    <div role="cell" className={clsx('min-w-0', isEmpty && 'max-lg:hidden', className)}>
      {label && !isEmpty && <span className="text-muted-foreground lg:sr-only">{label}</span>}
      {isEmpty ? <span className="text-muted-foreground">—</span> : children}
    </div>
  )
}
