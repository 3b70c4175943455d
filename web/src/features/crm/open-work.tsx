/** What is open with a contact: deals with their amount, tasks with their day; and the people of a company. */
import { useQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { Link } from 'react-router'

import { LoadError } from '@/components/load-error'
import { Card, CardTitle } from '@/components/ui/card'
import { Skeleton } from '@/components/ui/skeleton'
import { openDealsQuery, openTasksQuery, peopleQuery } from '@/data/contacts-work'
import { type Names, PapersSection, Whose } from '@/features/crm/papers-section'
import { paths } from '@/paths'
import { shortDate } from '@/strings/dates'
import { formatEuro } from '@/strings/numbers'

export function OpenWork(props: WorkProps) {
  return (
    <>
      <Deals {...props} />
      <Tasks {...props} />
    </>
  )
}

const line = 'flex min-h-11 items-center justify-between gap-3 py-2 text-sm'

export function People({ companyId }: { companyId: string }) {
  const { data: people, isPending, isError, refetch } = useQuery(peopleQuery(companyId))
  return (
    <Card>
      <CardTitle>Persone</CardTitle>
      {isPending && <Skeleton aria-busy className="h-11" />}
      {isError && !people && <LoadError text="Non riusciamo a leggere le persone." onRetry={() => void refetch()} />}
      {people?.length === 0 && (
        <p className="text-sm text-muted-foreground">
          Nessuno ancora: scrivi questa azienda nella scheda di chi ci lavora.
        </p>
      )}
      {people && people.length > 0 && (
        <ul className="divide-y">
          {people.map(({ id, name, job_title }) => (
            <li key={id} className={line}>
              <Link to={paths.crmContact(id)} className="min-w-0 truncate font-medium hover:underline">
                {name}
              </Link>
              {job_title && <span className="shrink-0 text-muted-foreground">{job_title}</span>}
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}

type WorkProps = { contactIds: readonly string[]; names: Names }

function Deals({ contactIds, names }: WorkProps) {
  return (
    <PapersSection
      title="Trattative aperte"
      query={useQuery(openDealsQuery(...contactIds))}
      count={({ length }) => length}
      none="Nessuna trattativa aperta."
      failed="Non riusciamo a leggere le trattative."
      all={{ to: paths.crmDeals, text: 'Tutte le trattative' }}
    >
      {(deals) =>
        deals.map(({ id, title, amount_cents, stage, contact_id }) => (
          <li key={id} className={line}>
            <span className="grid min-w-0">
              <Link to={paths.crmDeal(id)} className="truncate font-medium hover:underline">
                {title}
              </Link>
              <span className="text-muted-foreground">{stage.name}</span>
              <Whose names={names} contactId={contact_id} />
            </span>
            <span className="shrink-0 tabular">{formatEuro(amount_cents)}</span>
          </li>
        ))
      }
    </PapersSection>
  )
}

function Tasks({ contactIds, names }: WorkProps) {
  return (
    <PapersSection
      title="Attività aperte"
      query={useQuery(openTasksQuery(...contactIds))}
      count={({ length }) => length}
      none="Nessuna attività aperta."
      failed="Non riusciamo a leggere le attività."
      all={{ to: `${paths.tasks}?contatto=${contactIds[0]}`, text: 'Tutte le attività' }}
    >
      {(tasks) =>
        tasks.map(({ id, title, due_at, contact_id }) => (
          <li key={id} className={line}>
            <span className="grid min-w-0">
              <Link to={paths.task(id)} className="min-w-0 break-words hover:underline">
                {title}
              </Link>
              <Whose names={names} contactId={contact_id} />
            </span>
            {due_at && (
              <time
                dateTime={due_at}
                className={clsx('shrink-0 tabular', new Date(due_at) < new Date() && 'text-terracotta')}
              >
                {shortDate(due_at)}
              </time>
            )}
          </li>
        ))
      }
    </PapersSection>
  )
}
