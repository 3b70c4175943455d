/** /admin/errors: what failed in browsers and in the server, by what it says and where, until an admin decides it. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useSearchParams } from 'react-router'

import { LinkTabs } from '@/components/link-tabs'
import { LoadError } from '@/components/load-error'
import { Skeleton } from '@/components/ui/skeleton'
import { errorGroupsQuery, type ErrorState } from '@/data/admin'
import { AdminScreen } from '@/features/admin/admin-screen'
import { ErrorDialog } from '@/features/admin/error-dialog'
import { ItemDialog } from '@/features/admin/item-dialog'
import { ReportTable } from '@/features/admin/report-table'
import { ReportView } from '@/features/admin/report-view'
import { TraceSheet } from '@/features/admin/trace-sheet'
import { periodOf } from '@/strings/admin'

const shown = ['last_day', 'day_before', 'server_errors', 'sessions', 'open_groups', 'regressions'] as const
const columns = [
  'message',
  'place',
  'source',
  'count',
  'before',
  'people',
  'is_back',
  'first_seen_at',
  'last_seen_at',
  'first_release',
  'last_release',
  'last_request_id',
] as const

const states = [
  { key: 'open', label: 'Aperti', empty: 'Nessun errore da guardare.', columns },
  { key: 'muted', label: 'Silenziati', empty: 'Nessun errore silenziato.', columns: [...columns, 'muted_until'] },
  { key: 'resolved', label: 'Risolti', empty: 'Nessun errore risolto.', columns: ['state', ...columns] },
] as const satisfies { key: ErrorState; label: string; empty: string; columns: readonly string[] }[]

export function ErrorsPage() {
  return (
    <AdminScreen
      title="Errori"
      text="Gli errori dei browser e del server raggruppati per messaggio e luogo, senza quello che le persone hanno scritto. Le persone si contano da cinque in su. Di un errore del server l’ultima richiesta porta alla riga del log."
    >
      <Groups />
      <ReportView name="errors" shown={shown} />
    </AdminScreen>
  )
}

function Groups() {
  const [search, setSearch] = useSearchParams()
  const [decided, setDecided] = useState<{ id: number; message: string }>()
  const [planned, setPlanned] = useState<{ id: number; message: string }>()
  const state = states.find(({ key }) => key === search.get('stato')) ?? states[0]
  const period = periodOf(search)
  const opened = Number(search.get('errore'))
  const { data: groups, isError, refetch } = useQuery(errorGroupsQuery(state.key, period.hours))
  return (
    <>
      <LinkTabs
        label="Stato"
        tabs={states.map(({ key, label }) => ({
          key,
          label,
          to: `?${new URLSearchParams({ ...Object.fromEntries(search), stato: key }).toString()}`,
        }))}
        current={state.key}
      />
      {isError && <LoadError text="Non siamo riusciti a leggere gli errori." onRetry={() => void refetch()} />}
      {!groups && !isError && <Skeleton className="h-40" />}
      {groups && (
        <ReportTable
          title={`Errori ${state.label.toLowerCase()}, ${period.label}`}
          rows={groups}
          shown={state.columns}
          empty={state.empty}
          actions={[
            {
              label: 'Dettagli',
              isFor: () => true,
              onAct: ({ id }) => setSearch({ ...Object.fromEntries(search), errore: String(id) }),
            },
            {
              label: 'Decidi',
              isFor: () => true,
              onAct: ({ id, message }) => setDecided({ id: Number(id), message: String(message) }),
            },
          ]}
        />
      )}
      {Number.isSafeInteger(opened) && opened > 0 && (
        <TraceSheet
          groupId={opened}
          title={groups?.find(({ id }) => id === opened)?.message ?? 'Errore'}
          onClose={() => {
            search.delete('errore')
            setSearch(search)
          }}
        />
      )}
      {decided && (
        <ErrorDialog
          group={decided}
          state={state.key}
          onPlan={() => {
            setPlanned(decided)
            setDecided(undefined)
          }}
          onClose={() => setDecided(undefined)}
        />
      )}
      {planned && (
        <ItemDialog
          item={{ kind: 'technical', title: planned.message.slice(0, 120), errorGroupId: planned.id }}
          onClose={() => setPlanned(undefined)}
        />
      )}
    </>
  )
}
