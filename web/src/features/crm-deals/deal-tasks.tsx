/** The open tasks of a deal, and the line that adds one. */
import { useQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { type FormEvent, useState } from 'react'
import { Link } from 'react-router'
import { toast } from 'sonner'

import { LoadError } from '@/components/load-error'
import { Button } from '@/components/ui/button'
import { Input } from '@/components/ui/input'
import { Skeleton } from '@/components/ui/skeleton'
import { Spinner } from '@/components/ui/spinner'
import { dealTasksQuery, useAddDealTask } from '@/data/deal-tasks'
import type { Deal } from '@/data/deals'
import { paths } from '@/paths'
import { shortDate } from '@/strings/dates'

type Props = { userId: string; deal: Deal; /** The wall time the page was opened at. */ now: Date }

export function DealTasks({ userId, deal, now }: Props) {
  const { data: tasks, isPending, isError, refetch } = useQuery(dealTasksQuery(userId, deal.id))
  return (
    <section aria-labelledby="attivita-trattativa" className="grid gap-2 border-t pt-4">
      <h3 id="attivita-trattativa" className="text-sm font-semibold">
        Attività aperte
      </h3>
      {isPending && <Skeleton aria-busy className="h-11" />}
      {isError && !tasks && <LoadError text="Non riusciamo a leggere le attività." onRetry={() => void refetch()} />}
      {tasks && tasks.length > 0 && (
        <ul className="divide-y">
          {tasks.map(({ id, title, due_at }) => (
            <li key={id} className="flex min-h-11 items-center justify-between gap-3 py-2 text-sm">
              <Link to={paths.task(id)} className="min-w-0 break-words hover:underline">
                {title}
              </Link>
              {due_at && (
                <time
                  dateTime={due_at}
                  className={clsx('shrink-0 tabular', new Date(due_at) < now && 'font-medium text-error')}
                >
                  {shortDate(due_at)}
                </time>
              )}
            </li>
          ))}
        </ul>
      )}
      <Addition userId={userId} deal={deal} />
    </section>
  )
}

function Addition({ userId, deal }: Omit<Props, 'now'>) {
  const add = useAddDealTask(userId)
  const [title, setTitle] = useState('')
  const [day, setDay] = useState('')

  function onSubmit(event: FormEvent) {
    event.preventDefault()
    const text = title.replaceAll(/\s+/g, ' ').trim()
    if (!text || add.isPending) return
    add.mutate(
      { deal, title: text, day: day || null },
      {
        onSuccess: () => {
          setTitle('')
          setDay('')
        },
        // What was typed stays in the field.
        onError: () => toast.error('Non siamo riusciti ad aggiungere l’attività: riprova.'),
      },
    )
  }

  return (
    <form noValidate onSubmit={onSubmit} className="flex flex-wrap gap-2">
      <Input
        value={title}
        maxLength={200}
        autoComplete="off"
        aria-label="Nuova attività"
        placeholder="Nuova attività"
        className="min-w-40 flex-1"
        onChange={(event) => setTitle(event.target.value)}
      />
      <Input
        type="date"
        min="2000-01-01"
        max="2199-12-31"
        value={day}
        aria-label="Scadenza dell’attività"
        className="w-40"
        onChange={(event) => setDay(event.target.value)}
      />
      <Button type="submit" variant="outline" disabled={add.isPending || !title.trim()}>
        {add.isPending && <Spinner aria-hidden />}
        Aggiungi attività
      </Button>
    </form>
  )
}
