/** How Socio runs: ninety days of each part as bars, and incidents with what was told about them. */
import { clsx } from 'clsx'

import { Button } from '@/components/ui/button'
import type { Incident, Part, PartState } from '@/data/service-status'
import { longDay } from '@/strings/days'
import { formatCount } from '@/strings/numbers'
import { incidentStates, momentInItaly, partName, partStates } from '@/strings/status'

export const stateDots: Record<PartState, string> = { up: 'bg-success', down: 'bg-error', unknown: 'bg-info' }

/** From this many failed minutes on a day is bad. */
const BAD_MIN = 30
/** From this many minutes without a check on a day is not known to be good: late runs miss some. */
const GAP_MIN = 30
const DAY_MS = 86_400_000

const share = (value: number | null) => (value === null ? 'nessuna misura' : `${formatCount(value)} %`)
const minutes = (count: number) => (count === 1 ? '1 minuto' : `${formatCount(count)} minuti`)

type PartListProps = {
  parts: Part[]
  today: string
  /** Names the list where there are two. */
  label?: string
}

export function PartList({ parts, today, label }: PartListProps) {
  return (
    <section className="grid grid-cols-[minmax(0,1fr)]">
      {!label && <h2 className="sr-only">Parti</h2>}
      <ul aria-label={label ?? 'Parti'} className="divide-y rounded-md border bg-card">
        {parts.map((part) => (
          <li key={part.part} className="grid grid-cols-[minmax(0,1fr)] gap-2 p-4">
            <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
              <h3 className="text-base font-semibold">{partName(part.part)}</h3>
              <p className="flex items-center gap-2 text-sm">
                <span aria-hidden className={clsx('size-2.5 rounded-full', stateDots[part.state])} />
                {partStates[part.state]}
              </p>
            </div>
            <Days part={part} today={today} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function Days({ part, today }: { part: Part; today: string }) {
  const { failed, missing, share_30: month, share_90: quarter } = part
  const bad = failed
    .map((count, place) => ({
      count: count ?? 0,
      gap: missing[place] ?? 0,
      day: dayBefore(today, failed.length - 1 - place),
    }))
    .filter(({ count, gap }) => count > 0 || gap >= GAP_MIN)
    .toReversed()
  return (
    <>
      <div aria-hidden className="flex h-8 items-end gap-px">
        {failed.map((count, place) => (
          // oxlint-disable-next-line react/no-array-index-key -- a place is a day
          <span key={place} className={clsx('min-w-0 flex-1 rounded-xs', barOf(count, missing[place] ?? 0))} />
        ))}
      </div>
      <p className="flex flex-wrap justify-between gap-x-4 text-xs text-muted-foreground tabular">
        <span>90 giorni: {share(quarter)}</span>
        <span>30 giorni: {share(month)}</span>
      </p>
      {bad.length > 0 && (
        <details className="text-sm">
          <summary className="flex min-h-11 cursor-pointer items-center font-medium text-primary">
            Giorni con interruzioni o senza dati
          </summary>
          <ul className="grid gap-1 tabular">
            {bad.map(({ day, count, gap }) => (
              <li key={day} className="flex justify-between gap-4">
                <time dateTime={day}>{longDay(day)}</time>
                <span className="text-right">
                  {[count > 0 && minutes(count), gap >= GAP_MIN && `nessun dato per ${minutes(gap)}`]
                    .filter(Boolean)
                    .join(', ')}
                </span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}

const dayBefore = (today: string, days: number): string =>
  new Date(Date.parse(`${today}T00:00:00Z`) - days * DAY_MS).toISOString().slice(0, 10)

/** Colour and height, for those who do not tell the colours apart. */
function barOf(failed: number | null, gap: number): string {
  if (failed === null || (failed === 0 && gap >= GAP_MIN)) return 'h-1/4 bg-muted-foreground/30'
  if (failed === 0) return 'h-full bg-success'
  return failed < BAD_MIN ? 'h-3/4 bg-warning' : 'h-1/2 bg-error'
}

type IncidentListProps = {
  incidents: Incident[]
  /** For whoever may write about one. */
  onUpdate?: (incident: Incident) => void
}

export function IncidentList({ incidents, onUpdate }: IncidentListProps) {
  if (incidents.length === 0) {
    return <p className="rounded-md border px-4 py-6 text-sm text-muted-foreground">Nessun incidente in 90 giorni.</p>
  }
  return (
    <ol aria-label="Incidenti" className="grid gap-4">
      {incidents.map((incident) => (
        <li key={incident.id} className="grid grid-cols-[minmax(0,1fr)] gap-3 rounded-md border bg-card p-4">
          <div className="flex flex-wrap items-start justify-between gap-3">
            <div className="min-w-0">
              <h3 className="text-base font-semibold break-words">{incident.title}</h3>
              <p className="text-sm text-muted-foreground">
                {[
                  incidentStates[incident.state],
                  ...incident.parts.map(partName),
                  ...(incident.is_automatic ? ['Aperto automaticamente'] : []),
                ].join(' · ')}
              </p>
            </div>
            {onUpdate && (
              <Button variant="outline" size="sm" onClick={() => onUpdate(incident)}>
                Aggiorna
              </Button>
            )}
          </div>
          <ol className="grid gap-2 border-l-2 pl-3 text-sm">
            {incident.updates.map(({ state, text, at }) => (
              <li key={at + text}>
                <p className="text-xs text-muted-foreground tabular">
                  <time dateTime={at}>{momentInItaly(at)}</time> · {incidentStates[state]}
                </p>
                <p className="text-pretty break-words">{text}</p>
              </li>
            ))}
          </ol>
        </li>
      ))}
    </ol>
  )
}
