/** Letters that the assistant is writing now, as they grow; what becomes of them is among the proposals. */
import { Card, CardTitle } from '@/components/ui/card'
import { Spinner } from '@/components/ui/spinner'
import type { GoalStep } from '@/data/goals'

export function WritingCard({ steps }: { steps: GoalStep[] }) {
  return (
    <Card>
      <CardTitle>L’assistente sta scrivendo…</CardTitle>
      <ul aria-label="In scrittura" className="divide-y text-sm">
        {steps.map(({ id, preview, draft }) => (
          <li key={id} className="grid gap-1.5 py-3 first:pt-0 last:pb-0">
            <p className="flex items-center gap-2 font-medium break-words">
              <Spinner />
              {preview.title}
            </p>
            {draft && <p className="break-words whitespace-pre-line text-muted-foreground">{draft}</p>}
          </li>
        ))}
      </ul>
      <p className="text-sm text-pretty text-muted-foreground">
        Finito il testo, Socio controlla ogni numero e te lo propone qui.
      </p>
    </Card>
  )
}
