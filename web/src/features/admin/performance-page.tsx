/** /admin/performance: pages as visitors see them, what the client weighs, the slowest endpoints and statements. */
import { useQuery } from '@tanstack/react-query'

import { clientSizesQuery, type Report, reportQuery, type ReportRow } from '@/data/admin'
import { AdminScreen } from '@/features/admin/admin-screen'
import { ReportTable } from '@/features/admin/report-table'
import { ReportView } from '@/features/admin/report-view'
import { release } from '@/lib/release'
import { type Verdict, verdictNames, verdictOf, type Vital } from '@/strings/admin'
import { formatCount } from '@/strings/numbers'

const vitals = ['lcp', 'inp', 'cls', 'ttfb'] as const satisfies readonly Vital[]
const dots: Record<Verdict, string> = { good: 'bg-success', fair: 'bg-warning', poor: 'bg-error' }
const worstFirst: readonly Verdict[] = ['poor', 'fair', 'good']

export function PerformancePage() {
  return (
    <AdminScreen
      title="Prestazioni"
      text="Tre visite su quattro vanno almeno così bene. Sono di chi ha accettato le statistiche, sulla pagina da cui è entrato; i gruppi con meno di cinque visite non si vedono."
    >
      <ReportView name="performance" shown={vitals} isByPeriod remark={remark}>
        {({ figures, tables }) => (
          <>
            {Object.keys(figures).length === 0 && (
              <p role="note" className="rounded-md border bg-muted px-4 py-3 text-sm">
                Nessun tempo in questo periodo: servono almeno cinque visite con il consenso alle statistiche.
              </p>
            )}
            <ReportTable
              title="Tempi per pagina"
              rows={(tables.routes ?? []).map(judged)}
              shown={['page', 'device', 'count', ...vitals, 'verdict']}
              empty="Nessuna pagina con almeno cinque visite: servono visite con il consenso alle statistiche."
            />
            <ReportTable
              title="Endpoint più lenti"
              rows={tables.endpoints ?? []}
              shown={['endpoint', 'requests', 'p95_ms', 'mean_ms', 'failed_percent']}
              empty="Nessun endpoint con almeno venti risposte in questo periodo."
            />
            <ReportTable
              title="Query più lente"
              rows={tables.statements ?? []}
              shown={['statement', 'calls', 'total_ms', 'mean_ms']}
              empty={
                tables.statements
                  ? 'Nessuna query misurata ancora.'
                  : 'Qui non si misurano: metti pg_stat_statements in shared_preload_libraries, riavvia Postgres ed esegui «create extension pg_stat_statements».'
              }
            />
          </>
        )}
      </ReportView>
      <ClientSizes />
      <Releases />
    </AdminScreen>
  )
}

function remark(key: string, figures: Report['figures']) {
  const value = figures[key]
  if (value === undefined) return null
  const verdict = verdictOf(key as Vital, value)
  return (
    <dd className="flex flex-wrap items-center gap-x-2 text-xs">
      <span aria-hidden className={`size-2 rounded-full ${dots[verdict]}`} />
      <span className="font-medium">{verdictNames[verdict]}</span>
      <span className="text-muted-foreground tabular">{formatCount(figures[`${key}_good`] ?? 0)} % buone</span>
    </dd>
  )
}

/** With the worst verdict of the three that search engines count. */
function judged({
  page = null,
  device = null,
  count = null,
  lcp = null,
  inp = null,
  cls = null,
  ttfb = null,
}: ReportRow): ReportRow {
  const verdicts = new Set(
    Object.entries({ lcp, inp, cls }).flatMap(([key, value]) =>
      typeof value === 'number' ? [verdictOf(key as Vital, value)] : [],
    ),
  )
  return {
    page,
    device,
    count,
    lcp,
    inp,
    cls,
    ttfb,
    verdict: worstFirst.find((verdict) => verdicts.has(verdict)) ?? null,
  }
}

/** The last versions that the worker has seen served. */
function Releases() {
  const { data: report } = useQuery(reportQuery('client', 24))
  return (
    <ReportTable
      title="Peso per versione"
      rows={report?.tables.releases ?? []}
      shown={['release', 'since', 'landing page', 'pricing', 'store', 'app', 'largest lazy chunk', 'fonts']}
      empty="Nessuna versione ancora: il worker le annota ogni dieci minuti."
    />
  )
}

function ClientSizes() {
  const { data: sizes, isPending } = useQuery(clientSizesQuery())
  if (isPending) return null
  const rows = (sizes ?? []).map(({ name = '', size_bytes = 0, limit_bytes = 0 }) => ({
    part: name,
    size_bytes,
    limit_bytes,
    is_over: Number(size_bytes) > Number(limit_bytes),
  }))
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <ReportTable
        title="Peso del client"
        rows={rows}
        shown={['part', 'size_bytes', 'limit_bytes', 'is_over']}
        empty="Questa versione non dice quanto pesa: lo scrive la build."
      />
      {rows.length > 0 && (
        <p className="text-xs text-muted-foreground">
          Versione {release()}, compressa. La build si ferma se una parte supera il suo limite.
        </p>
      )}
    </div>
  )
}
