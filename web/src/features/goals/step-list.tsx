/** What became of the latest steps. */
import { Card, CardTitle } from '@/components/ui/card'
import type { GoalStep } from '@/data/goals'
import { dateAndTime } from '@/strings/dates'
import { stepReasons, stepStates } from '@/strings/goals'
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
              <span className="shrink-0 tabular">{formatEuro(step.preview.cents)}</span>
            </p>
            <p className="text-pretty text-muted-foreground">
              {stepStates[step.state]} · {dateAndTime(step.done_at ?? step.created_at)}
              {reasonOf(step) && `. ${reasonOf(step)}.`}
            </p>
          </li>
        ))}
      </ul>
    </Card>
  )
}

function reasonOf({ state, error, rules }: GoalStep): string | null {
  if (error) return stepReasons[error] ?? 'Non è riuscito'
  return state === 'bloccato' || state === 'pianificato' ? (rules[0]?.reason ?? null) : null
}
