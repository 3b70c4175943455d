/** /crm/trattative: what may become work, by stage, with what can be expected of it. */
import { useQuery } from '@tanstack/react-query'
import { HandshakeIcon, PlusIcon } from 'lucide-react'
import { useState } from 'react'
import { useSearchParams } from 'react-router'

import { CrmHeader } from '@/components/crm-header'
import { LoadError } from '@/components/load-error'
import { PageTitle } from '@/components/page-title'
import { Button } from '@/components/ui/button'
import { Skeleton } from '@/components/ui/skeleton'
import { useUser } from '@/data/auth-context'
import { boardQuery, type Deal, habitsQuery, stagesQuery } from '@/data/deals'
import { columnsOf } from '@/features/crm-deals/board'
import { DealBoard } from '@/features/crm-deals/deal-board'
import { DealDialog } from '@/features/crm-deals/deal-dialog'
import { LostDialog } from '@/features/crm-deals/lost-dialog'
import { useMoveDeal } from '@/features/crm-deals/use-move-deal'
import { useShortcut } from '@/lib/shortcut'

export default function DealsPage() {
  const { id: userId } = useUser()
  const stages = useQuery(stagesQuery(userId))
  const board = useQuery(boardQuery(userId))
  const habits = useQuery(habitsQuery(userId))
  const [isAdding, setAdding] = useState(false)
  // The open deal is in the address, for tasks and contacts lead to it.
  const [params, setParams] = useSearchParams()
  const openId = params.get('trattativa')
  const opened = board.data?.find(({ id }) => id === openId) ?? null
  const open = (deal: Deal) => setParams({ trattativa: deal.id })
  useShortcut('n', () => setAdding(true))

  function onClose() {
    setAdding(false)
    if (openId) setParams({}, { replace: true })
  }

  const columns = stages.data && board.data ? columnsOf(stages.data, board.data) : null
  const mover = useMoveDeal(userId, columns ?? [])
  const hasFailed = (stages.isError && !stages.data) || (board.isError && !board.data)

  return (
    <div className="column grid grid-cols-[minmax(0,1fr)] gap-6 py-6 sm:py-8">
      <PageTitle>Trattative</PageTitle>
      <CrmHeader current="deals" title="Trattative">
        <Button onClick={() => setAdding(true)} disabled={!columns}>
          <PlusIcon aria-hidden /> Nuova trattativa
        </Button>
      </CrmHeader>
      {hasFailed ? (
        <LoadError
          text="Non riusciamo a leggere le tue trattative. Sono al sicuro: riprova tra un momento."
          onRetry={() => {
            void stages.refetch()
            void board.refetch()
          }}
        />
      ) : columns ? (
        <>
          {board.data?.length === 0 && <Empty onAdd={() => setAdding(true)} />}
          <DealBoard columns={columns} habits={habits.data ?? new Map()} onMove={mover.move} onOpen={open} />
          {openId && !opened && (
            <p role="status" className="text-sm text-muted-foreground">
              La trattativa che cercavi non c’è più, o è chiusa da più di un anno.
            </p>
          )}
          {(isAdding || opened) && (
            <DealDialog key={openId} deal={opened} columns={columns} userId={userId} onClose={onClose} />
          )}
        </>
      ) : (
        <Loading />
      )}
      {mover.losing && <LostDialog title={mover.losing.title} onClose={mover.keep} onLost={mover.lose} />}
    </div>
  )
}

function Empty({ onAdd }: { onAdd: () => void }) {
  return (
    <div className="grid justify-items-center gap-3 rounded-md border bg-card px-6 py-10 text-center">
      <HandshakeIcon aria-hidden className="size-6 text-muted-foreground" />
      <p className="font-medium">Ancora nessuna trattativa</p>
      <p className="max-w-sm text-sm text-pretty text-muted-foreground">
        Un preventivo mandato, un cliente interessato: segnali qui e vedi quanto lavoro sta arrivando e che cosa è
        fermo.
      </p>
      <Button variant="outline" onClick={onAdd}>
        Aggiungi la prima
      </Button>
    </div>
  )
}

function Loading() {
  return (
    <div aria-busy className="grid gap-3 md:grid-cols-3 xl:grid-cols-6">
      {['a', 'b', 'c', 'd', 'e', 'f'].map((key) => (
        <div key={key} className="grid content-start gap-2 max-md:not-first:hidden xl:grid">
          <Skeleton className="h-5 w-2/3" />
          <Skeleton className="h-24" />
          <Skeleton className="h-24" />
        </div>
      ))}
    </div>
  )
}
