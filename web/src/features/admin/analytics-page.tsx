/** /admin/analytics: from the visit to the purchase, who comes back, and what the pages claim. */
import { useQuery } from '@tanstack/react-query'

import { Funnel } from '@/components/charts/funnel'
import { LoadError } from '@/components/load-error'
import { claimsQuery, type Report, type ReportRow } from '@/data/admin'
import { AdminScreen } from '@/features/admin/admin-screen'
import { ReportTable } from '@/features/admin/report-table'
import { ReportView } from '@/features/admin/report-view'
import { figures as names } from '@/strings/admin'
import { formatCount } from '@/strings/numbers'

const stages = ['visits', 'registered', 'confirmed', 'began', 'first_value', 'bought'] as const
const shown = [...stages, 'consent_rate'] as const

export function AnalyticsPage() {
  return (
    <AdminScreen
      title="Analytics"
      text="Le visite e gli eventi sono di chi ha accettato le statistiche, senza stime per gli altri; gli account sono tutti. I gruppi con meno di cinque persone non si vedono."
    >
      <ReportView name="analytics" shown={shown}>
        {(report) => (
          <>
            <Stages report={report} />
            <ReportTable
              title="Ritorno per settimana di registrazione"
              rows={report.tables.weeks ?? []}
              shown={['week', 'people', 'week_1', 'week_2', 'week_4', 'week_8']}
              empty="Nessuna settimana con almeno cinque registrazioni."
            />
            <ReportTable
              title="Eventi in 30 giorni"
              rows={report.tables.events ?? []}
              shown={['name', 'count', 'sessions']}
              empty="Nessun evento con almeno cinque visite."
            />
          </>
        )}
      </ReportView>
      <Claims />
    </AdminScreen>
  )
}

function Stages({ report: { figures, before } }: { report: Report }) {
  const rows = stages.map((key, place) => {
    const value = figures[key] ?? 0
    const above = figures[stages[place - 1] ?? key] ?? 0
    return {
      key,
      name: names[key]?.[0] ?? key,
      value,
      count: value,
      // Visits are of those who agreed, so accounts are no share of them.
      share: place < 2 || above === 0 ? null : Math.round((1000 * value) / above) / 10,
      before: before?.[key] ?? null,
    }
  })
  return (
    <section aria-label="Imbuto" className="grid grid-cols-[minmax(0,1fr)] gap-4 lg:grid-cols-2">
      <div className="rounded-md border bg-card p-4">
        <Funnel
          label="Dalla visita all’acquisto"
          stages={rows.map((row) => ({ ...row, text: formatCount(row.value) }))}
        />
      </div>
      <ReportTable
        title="Dalla visita all’acquisto"
        rows={rows.map(({ name, count, share, before: was }) => ({ name, count, share, before: was }))}
        shown={['name', 'count', 'share', 'before']}
        empty="Nessuna misura."
      />
    </section>
  )
}

const conflictsFirst = (one: ReportRow, other: ReportRow) =>
  Number(other.status === 'in_conflitto') - Number(one.status === 'in_conflitto') ||
  String(one.claim).localeCompare(String(other.claim))

function Claims() {
  const { data: claims, isError, refetch } = useQuery(claimsQuery())
  if (isError) {
    return <LoadError text="Non siamo riusciti a leggere le affermazioni." onRetry={() => void refetch()} />
  }
  return (
    <ReportTable
      title="Affermazioni"
      rows={(claims ?? []).toSorted(conflictsFirst)}
      shown={['text', 'status', 'effective_key', 'source', 'surface', 'claim']}
      empty="Nessuna affermazione nel catalogo."
    />
  )
}
