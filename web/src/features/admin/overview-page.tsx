/** /admin: a light for each part, what is wrong and who looks after it, four figures. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'

import { LoadError } from '@/components/load-error'
import { Button } from '@/components/ui/button'
import { Skeleton } from '@/components/ui/skeleton'
import { type Finding, type Overview, overviewQuery, type ReportName, useTakeOverAlarm } from '@/data/admin'
import { AccountsSection } from '@/features/admin/accounts-section'
import { AdminScreen } from '@/features/admin/admin-screen'
import { LawFigures } from '@/features/admin/law-figures'
import { LightLabel, MeasuredLine } from '@/features/admin/measured-line'
import { paths } from '@/paths'
import { figures as names, lightNames, reportNames } from '@/strings/admin'
import { dateAndTime, relativeTime } from '@/strings/dates'

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
  { name: 'uptime', to: paths.adminUptime, shown: ['open_incidents', 'failing'] },
  { name: 'disk', shown: ['free_bytes', 'total_bytes'] },
]

const urgency = { error: 0, old: 1, warning: 2 }
/** What is shown before somebody asks for the rest. */
const SHOWN = 3

type Alarm = Omit<Finding, 'rule' | 'light'> & {
  part: Part
  light: keyof typeof urgency
  /** Null: a measurement that stopped. */
  rule: string | null
}

function alarmsOf(overview: Overview): Alarm[] {
  return parts
    .flatMap((part): Alarm[] => {
      const measured = overview[part.name]
      if (!measured) return []
      if (measured.light !== 'old') return measured.findings.map((finding) => ({ ...finding, part }))
      const finding = 'Non viene più misurato: controlla che il worker sia acceso.'
      const at = { since: measured.taken_at, taken_over_at: null, taken_over_by: null }
      return [{ ...at, part, finding, rule: null, light: 'old' }]
    })
    .toSorted(
      (one, other) =>
        Number(Boolean(one.taken_over_at)) - Number(Boolean(other.taken_over_at)) ||
        urgency[one.light] - urgency[other.light],
    )
}

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
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
      <ToDo alarms={alarmsOf(overview)} />
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

function ToDo({ alarms }: { alarms: Alarm[] }) {
  const [areAllShown, setAllShown] = useState(false)
  const takeOver = useTakeOverAlarm()
  const shown = areAllShown ? alarms : alarms.slice(0, SHOWN)
  return (
    <section aria-labelledby="admin-to-do" className="grid gap-2">
      <h2 id="admin-to-do" className="text-base font-semibold">
        Da fare
      </h2>
      {alarms.length === 0 && <p className="text-sm text-muted-foreground">Niente da guardare adesso.</p>}
      {alarms.length > 0 && (
        <ol aria-label="Da fare" className="divide-y rounded-md border bg-card">
          {shown.map(({ part: { name, to }, rule, light, finding, since, taken_over_at: at, taken_over_by: by }) => (
            <li
              key={`${name} ${rule}`}
              className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 px-4 py-2 text-sm"
            >
              <div className="grid gap-0.5">
                <span className="sr-only">{lightNames[light]}</span>
                <LightLabel light={light} label={`${reportNames[name]}: ${finding}`} />
                <p className="text-muted-foreground">
                  {since && (
                    <time dateTime={since} title={dateAndTime(since)}>
                      Iniziato {relativeTime(since)}
                    </time>
                  )}
                  {at && ` · Se ne occupa ${by}`}
                </p>
              </div>
              <div className="flex flex-wrap items-center gap-x-4">
                {rule && since && !at && (
                  <Button
                    variant="outline"
                    disabled={takeOver.isPending}
                    onClick={() => {
                      // It goes to the end, where it stays in sight.
                      setAllShown(true)
                      takeOver.mutate({ report: name, rule })
                    }}
                  >
                    Me ne occupo<span className="sr-only">: {finding}</span>
                  </Button>
                )}
                {to && (
                  <Link to={to} className="flex min-h-11 items-center text-primary underline underline-offset-4">
                    Apri<span className="sr-only"> {reportNames[name]}</span>
                  </Link>
                )}
              </div>
            </li>
          ))}
        </ol>
      )}
      {alarms.length > SHOWN && (
        <Button variant="ghost" className="justify-self-start" onClick={() => setAllShown(!areAllShown)}>
          {areAllShown ? 'Mostra meno' : `Mostra tutte (${alarms.length})`}
        </Button>
      )}
      {takeOver.isError && (
        <p role="alert" className="text-sm text-error">
          Non siamo riusciti a salvare. Riprova.
        </p>
      )}
    </section>
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
