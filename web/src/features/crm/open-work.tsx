/** What is open with a contact: deals with their amount, tasks with their day; and the people of a company. */
import { useQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { Link } from 'react-router'

import { LoadError } from '@/components/load-error'
import { Card, CardTitle } from '@/components/ui/card'
import { Skeleton } from '@/components/ui/skeleton'
import { openDealsQuery, openTasksQuery, peopleQuery } from '@/data/contacts-work'
import { paths } from '@/paths'
import { shortDate } from '@/strings/dates'
import { formatEuro } from '@/strings/numbers'

export function OpenWork({ contactId }: { contactId: string }) {
  return (
    <>
      <Deals contactId={contactId} />
      <Tasks contactId={contactId} />
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

function Deals({ contactId }: { contactId: string }) {
  const { data: deals, isPending, isError, refetch } = useQuery(openDealsQuery(contactId))
  return (
    <Card>
      <CardTitle>Trattative aperte</CardTitle>
      {isPending && <Skeleton aria-busy className="h-11" />}
      {isError && !deals && <LoadError text="Non riusciamo a leggere le trattative." onRetry={() => void refetch()} />}
      {deals?.length === 0 && <p className="text-sm text-muted-foreground">Nessuna trattativa aperta.</p>}
      {deals && deals.length > 0 && (
        <ul className="divide-y">
          {deals.map(({ id, title, amount_cents, stage }) => (
            <li key={id} className={line}>
              <span className="grid min-w-0">
                <Link to={paths.crmDeal(id)} className="truncate font-medium hover:underline">
                  {title}
                </Link>
                <span className="text-muted-foreground">{stage.name}</span>
              </span>
              <span className="shrink-0 tabular">{formatEuro(amount_cents)}</span>
            </li>
          ))}
        </ul>
      )}
      <Link to={paths.crmDeals} className="text-sm font-medium text-primary hover:underline">
        Tutte le trattative
      </Link>
    </Card>
  )
}

function Tasks({ contactId }: { contactId: string }) {
  const { data: tasks, isPending, isError, refetch } = useQuery(openTasksQuery(contactId))
  return (
    <Card>
      <CardTitle>Attività aperte</CardTitle>
      {isPending && <Skeleton aria-busy className="h-11" />}
      {isError && !tasks && <LoadError text="Non riusciamo a leggere le attività." onRetry={() => void refetch()} />}
      {tasks?.length === 0 && <p className="text-sm text-muted-foreground">Nessuna attività aperta.</p>}
      {tasks && tasks.length > 0 && (
        <ul className="divide-y">
          {tasks.map(({ id, title, due_at }) => (
            <li key={id} className={line}>
              <Link to={paths.task(id)} className="min-w-0 break-words hover:underline">
                {title}
              </Link>
              {due_at && (
                <time
                  dateTime={due_at}
                  className={clsx('shrink-0 tabular', new Date(due_at) < new Date() && 'text-terracotta')}
                >
                  {shortDate(due_at)}
                </time>
              )}
            </li>
          ))}
        </ul>
      )}
      <Link to={paths.tasks} className="text-sm font-medium text-primary hover:underline">
        Tutte le attività
      </Link>
    </Card>
  )
}
