/** What became of the latest steps. */
import { Link } from 'react-router'

import { Card, CardTitle } from '@/components/ui/card'
import type { GoalStep } from '@/data/goals'
import { PacketLink } from '@/features/goals/packet-link'
import { paths } from '@/paths'
import { dateAndTime } from '@/strings/dates'
import { doneWords, stepReasons, stepStates } from '@/strings/goals'
import { formatEuro } from '@/strings/numbers'

export function StepList({ steps }: { steps: GoalStep[] }) {
  return (
    <Card>
      <CardTitle>Che cosa ha fatto</CardTitle>
      <ul aria-label="Che cosa ha fatto" className="divide-y text-sm">
        {steps.map((step) => (
          <li key={step.id} className="grid gap-0.5 py-2.5 first:pt-0 last:pb-0">
            <p className="flex items-baseline justify-between gap-3">
              <span className="min-w-0 font-medium break-words">{step.preview.title}</span>
              {step.tool === 'mail' && <span className="shrink-0 tabular">{formatEuro(step.preview.cents)}</span>}
            </p>
            <p className="text-pretty text-muted-foreground">
              {(step.state === 'fatto' && doneWords[step.tool]) || stepStates[step.state]} ·{' '}
              {dateAndTime(step.done_at ?? step.created_at)}
              {reasonOf(step) && `. ${reasonOf(step)}.`}
            </p>
            <Result step={step} />
          </li>
        ))}
      </ul>
    </Card>
  )
}

/** Where what was done at home is seen, and undone. */
function Result({ step: { id, tool, state, args } }: { step: GoalStep }) {
  if (state !== 'fatto' || tool === 'mail') return null
  return (
    <p className="flex flex-wrap gap-x-4">
      <Link to={tool === 'merge' ? paths.crmDuplicates : paths.task(id)} className="py-2.5 underline">
        {tool === 'merge' ? 'Vedi o annulla' : 'Apri l’attività'}
      </Link>
      <PacketLink args={args} />
    </p>
  )
}

function reasonOf({ state, error, rules }: GoalStep): string | null {
  if (error) return stepReasons[error] ?? 'Non è riuscito'
  return state === 'bloccato' || state === 'pianificato' ? (rules[0]?.reason ?? null) : null
}
