/** /admin/uptime: what one machine sees of each part, and its last journey step by step. */
import { clsx } from 'clsx'

import { Sparkline } from '@/components/charts/sparkline'
import { PartList } from '@/components/service-status'
import type { Journey, Viewpoint } from '@/data/admin'
import { journeySteps, viewpointNames } from '@/strings/admin'
import { formatCount } from '@/strings/numbers'
import { momentInItaly } from '@/strings/status'

type Props = { view: Viewpoint; today: string }

export function ViewpointSection({ view: { viewpoint, parts, journeys }, today }: Props) {
  const name = viewpointNames[viewpoint]
  return (
    <section aria-label={name} className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <h2 className="text-base font-semibold">{name}</h2>
      {parts.length === 0 ? (
        <p className="rounded-md border px-4 py-6 text-sm text-muted-foreground">
          {viewpoint === 'worker'
            ? 'Nessun dato: il worker fa i controlli ogni minuto.'
            : 'Nessun dato: come collegarla è in supabase/README.md, «A second machine».'}
        </p>
      ) : (
        <PartList parts={parts} today={today} label={`Parti, ${name}`} />
      )}
      <LastJourney journeys={journeys} />
    </section>
  )
}

const lengthOf = ({ steps }: Journey): number => steps.reduce((sum, { took_ms: tookMs }) => sum + tookMs, 0)

function LastJourney({ journeys }: { journeys: Journey[] }) {
  const last = journeys.at(-1)
  if (!last) return null
  const failed = journeys.filter(({ steps }) => steps.some(({ error }) => error)).length
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2 rounded-md border bg-card p-4 text-sm">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <h3 className="text-base font-semibold">Ultimo percorso di prova</h3>
        <Sparkline values={journeys.map(lengthOf)} />
      </div>
      <p className="text-muted-foreground tabular">
        <time dateTime={last.at}>{momentInItaly(last.at)}</time> · {formatCount(lengthOf(last))} ms ·{' '}
        {failed === 1 ? '1 fallito' : `${formatCount(failed)} falliti`} su {formatCount(journeys.length)} in 24 ore
      </p>
      <ol aria-label="Passi" className="grid gap-1 tabular">
        {last.steps.map(({ step, took_ms: tookMs, error }) => (
          <li key={step} className="flex flex-wrap justify-between gap-x-4">
            <span className="flex items-center gap-2">
              <span aria-hidden className={clsx('size-2.5 rounded-full', error ? 'bg-error' : 'bg-success')} />
              {journeySteps[step]}
            </span>
            <span className="break-words">{error || `${formatCount(tookMs)} ms`}</span>
          </li>
        ))}
      </ol>
    </div>
  )
}
