/** /admin/stripe-events: what the payment provider sent, and what became of it. */
import { useQuery } from '@tanstack/react-query'
import { startTransition, useOptimistic, useState } from 'react'
import { useSearchParams } from 'react-router'

import { LoadError } from '@/components/load-error'
import { paymentEventsQuery, useReplayEvent } from '@/data/admin'
import { AdminScreen } from '@/features/admin/admin-screen'
import { ReasonDialog } from '@/features/admin/reason-dialog'
import { ReportTable } from '@/features/admin/report-table'
import { ReportView } from '@/features/admin/report-view'

const shown = ['events', 'waiting', 'failed', 'oldest_waiting_s', 'open_alerts', 'orders', 'revenue_cents'] as const

export function PaymentsPage() {
  return (
    <AdminScreen title="Pagamenti" text="Gli eventi di Stripe senza il loro contenuto.">
      <Events />
      <ReportView name="payments" shown={shown}>
        {({ tables }) => (
          <ReportTable
            title="Eventi in 30 giorni"
            rows={tables.types ?? []}
            shown={['name', 'outcome', 'count']}
            empty="Nessun evento in 30 giorni."
          />
        )}
      </ReportView>
    </AdminScreen>
  )
}

function Events() {
  const [search, setSearch] = useSearchParams()
  const onlyOpen = search.get('eventi') === 'aperti'
  // At once: a box that waits for the router jumps back.
  const [isTicked, tick] = useOptimistic(onlyOpen)
  const [replayed, setReplayed] = useState('')
  const { data: events = [], isError, refetch } = useQuery(paymentEventsQuery(onlyOpen))
  const replay = useReplayEvent()
  return (
    <>
      <label className="flex min-h-11 cursor-pointer items-center gap-3 text-sm">
        <input
          type="checkbox"
          checked={isTicked}
          onChange={({ target }) => {
            if (target.checked) search.set('eventi', 'aperti')
            else search.delete('eventi')
            startTransition(() => {
              tick(target.checked)
              setSearch(search)
            })
          }}
          className="size-5 accent-primary"
        />
        Solo quelli da gestire
      </label>
      {isError ? (
        <LoadError text="Non siamo riusciti a leggere gli eventi." onRetry={() => void refetch()} />
      ) : (
        <ReportTable
          title="Eventi"
          rows={events}
          shown={['received_at', 'type', 'outcome', 'attempts', 'error', 'order_id', 'id']}
          empty={onlyOpen ? 'Nessun evento da gestire.' : 'Nessun evento ricevuto.'}
          actions={[
            {
              label: 'Riesegui',
              isFor: ({ is_open: isOpen }) => isOpen === true,
              onAct: ({ id }) => setReplayed(String(id)),
            },
          ]}
        />
      )}
      {replayed && (
        <ReasonDialog
          title="Riesegui l’evento"
          text="Un evento già gestito non cambia niente."
          done="Evento rieseguito"
          onAct={(reason) => replay.mutateAsync({ id: replayed, reason })}
          onClose={() => setReplayed('')}
        />
      )}
    </>
  )
}
