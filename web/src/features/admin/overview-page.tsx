/** /admin: a light for each part, three things to do, four figures. */
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'

import { LoadError } from '@/components/load-error'
import { Skeleton } from '@/components/ui/skeleton'
import { type Overview, overviewQuery, type ReportName } from '@/data/admin'
import { AccountsSection } from '@/features/admin/accounts-section'
import { AdminScreen } from '@/features/admin/admin-screen'
import { LawFigures } from '@/features/admin/law-figures'
import { MeasuredLine } from '@/features/admin/measured-line'
import { paths } from '@/paths'
import { figures as names, lightNames, reportNames } from '@/strings/admin'

type Part = { name: ReportName; to?: string; shown: readonly string[] }

const parts: readonly Part[] = [
  { name: 'database', to: paths.adminDatabaseHealth, shown: ['cache_hit', 'connections'] },
  { name: 'queue', shown: ['longest_wait_s', 'dead_letters'] },
  { name: 'payments', to: paths.adminPaymentEvents, shown: ['failed', 'open_alerts'] },
  { name: 'credits', to: paths.adminCreditAudit, shown: ['drifted', 'old_holds', 'negative_margins'] },
  { name: 'errors', to: paths.adminErrors, shown: ['last_day', 'open_groups'] },
  { name: 'security', to: paths.adminSecurity, shown: ['lints', 'admins_without_factor'] },
  { name: 'backups', to: paths.adminDatabaseHealth, shown: ['backup_age_h', 'restore_age_h'] },
  { name: 'isolation', to: paths.adminSecurity, shown: ['reached', 'attempts'] },
]

const urgency = { error: 0, old: 1, warning: 2, ok: 3 }

export function OverviewPage() {
  const { data: overview, isPending, isError, refetch } = useQuery(overviewQuery())
  return (
    <AdminScreen title="Panoramica" text="Numeri, mai contenuti. Ogni semaforo dice quando è stato misurato.">
      {isPending && <Skeleton className="h-72" />}
      {isError && <LoadError text="Non siamo riusciti a leggere le misure." onRetry={() => void refetch()} />}
      {overview && <Parts overview={overview} />}
      <AccountsSection />
      <LawFigures />
    </AdminScreen>
  )
}

function Parts({ overview }: { overview: Overview }) {
  const toDo = parts
    .flatMap(({ name, to }) => {
      const light = overview[name]?.light
      return light && light !== 'ok' ? [{ name, to, light }] : []
    })
    .toSorted((one, other) => urgency[one.light] - urgency[other.light])
    .slice(0, 3)
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
      <section aria-labelledby="admin-to-do" className="grid gap-2">
        <h2 id="admin-to-do" className="text-base font-semibold">
          Da fare
        </h2>
        {toDo.length === 0 ? (
          <p className="text-sm text-muted-foreground">Niente da guardare adesso.</p>
        ) : (
          <ol className="divide-y rounded-md border bg-card">
            {toDo.map(({ name, to, light }) => (
              <li key={name} className="flex min-h-11 items-center justify-between gap-3 px-4 text-sm">
                <span>
                  {reportNames[name]}: {lightNames[light].toLowerCase()}
                </span>
                {to && (
                  <Link to={to} className="flex min-h-11 items-center text-primary underline underline-offset-4">
                    Apri<span className="sr-only"> {reportNames[name]}</span>
                  </Link>
                )}
              </li>
            ))}
          </ol>
        )}
      </section>
      <ul aria-label="Semafori" className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
        {parts.map((part) => (
          <PartCard key={part.name} part={part} overview={overview} />
        ))}
      </ul>
      <dl className="grid grid-cols-2 gap-3 sm:grid-cols-4">
        <Figure label="new" value={overview.people?.figures.new} />
        <Figure label="active" value={overview.people?.figures.active} />
        <Figure label="revenue_cents" value={overview.payments?.figures.revenue_cents} />
        <Figure label="used_credits" value={overview.credits?.figures.used_credits} />
      </dl>
    </div>
  )
}

function PartCard({ part: { name, to, shown }, overview }: { part: Part; overview: Overview }) {
  const measured = overview[name]
  return (
    <li className="flex flex-col gap-2 rounded-md border bg-card p-4">
      <h2 className="text-base font-semibold">
        {to ? (
          <Link to={to} className="underline underline-offset-4">
            {reportNames[name]}
          </Link>
        ) : (
          reportNames[name]
        )}
      </h2>
      {measured ? (
        <>
          <MeasuredLine light={measured.light} at={measured.taken_at} />
          <dl className="grid gap-1 text-sm">
            {shown.map((key) => (
              <div key={key} className="flex justify-between gap-3">
                <dt className="text-muted-foreground">{names[key]?.[0]}</dt>
                <dd className="tabular">{written(key, measured.figures[key])}</dd>
              </div>
            ))}
          </dl>
        </>
      ) : (
        <p className="text-sm text-muted-foreground">Mai misurato</p>
      )}
    </li>
  )
}

const written = (key: string, value: number | undefined) => (value === undefined ? '–' : names[key]?.[1](value))

function Figure({ label, value }: { label: string; value: number | undefined }) {
  return (
    <div className="flex flex-col gap-1 rounded-md border bg-card p-3">
      <dt className="text-xs text-muted-foreground">{names[label]?.[0]}</dt>
      <dd className="text-xl font-semibold tabular">{written(label, value)}</dd>
    </div>
  )
}
