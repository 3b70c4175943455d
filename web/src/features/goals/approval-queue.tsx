/** What waits for a yes, as one batch of the same rule with a tick each; every text can be read before. */
import { useState } from 'react'
import { toast } from 'sonner'

import { Button } from '@/components/ui/button'
import { Card, CardTitle } from '@/components/ui/card'
import { type GoalStep, useDecideSteps } from '@/data/goals'
import { DataError } from '@/lib/server-errors'
import { goalRefusals, tones } from '@/strings/goals'
import { countText } from '@/strings/home'
import { formatEuro } from '@/strings/numbers'

type Props = { userId: string; steps: GoalStep[] }

export function ApprovalQueue({ userId, steps }: Props) {
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  const decide = useDecideSteps(userId)
  const chosen = steps.filter(({ id }) => !left.has(id))
  const cents = chosen.reduce((sum, { preview }) => sum + preview.cents, 0)

  function toggle(id: string) {
    const next = new Set(left)
    if (!next.delete(id)) next.add(id)
    setLeft(next)
  }

  // Not by the callbacks of `mutate`: what was decided leaves this list before they are called.
  async function press(isApproved: boolean) {
    try {
      await decide.mutateAsync({ steps: chosen, isApproved })
    } catch (error) {
      const reason = error instanceof DataError && goalRefusals[error.code]
      toast.error(reason || 'Non siamo riusciti a salvare: riprova')
      return
    }
    toast.success(isApproved ? 'Approvati: partono appena si può' : 'Rifiutati: non partono')
  }

  return (
    <Card>
      <CardTitle>Da approvare: {countText(steps.length, 'sollecito', 'solleciti')}</CardTitle>
      <ul aria-label="Da approvare" className="divide-y">
        {steps.map((step) => (
          <Proposal key={step.id} step={step} isChosen={!left.has(step.id)} onToggle={() => toggle(step.id)} />
        ))}
      </ul>
      <div className="flex flex-wrap gap-2">
        <Button disabled={chosen.length === 0 || decide.isPending} onClick={() => void press(true)}>
          Approva {chosen.length} · {formatEuro(cents)}
        </Button>
        <Button variant="outline" disabled={chosen.length === 0 || decide.isPending} onClick={() => void press(false)}>
          Rifiuta {chosen.length}
        </Button>
      </div>
    </Card>
  )
}

function Proposal({ step, isChosen, onToggle }: { step: GoalStep; isChosen: boolean; onToggle: () => void }) {
  const { preview, recipients, rules } = step
  return (
    <li className="grid gap-1.5 py-3 first:pt-0 last:pb-0">
      <label className="flex min-h-11 cursor-pointer items-center gap-3">
        <input type="checkbox" checked={isChosen} onChange={onToggle} className="size-5 shrink-0 accent-primary" />
        <span className="min-w-0 flex-1 font-medium break-words">{preview.title}</span>
        <span className="shrink-0 tabular">{formatEuro(preview.cents)}</span>
      </label>
      <div className="grid gap-1.5 pl-8 text-sm">
        <p className="text-muted-foreground">
          A {recipients.join(', ')}, tono {tones[preview.tone]}
        </p>
        {rules.map(({ id, reason }) => (
          <p key={id} className="text-muted-foreground">
            Regola {id}: {reason}
          </p>
        ))}
        <details>
          <summary className="flex min-h-11 cursor-pointer items-center font-medium underline">
            Leggi il messaggio
          </summary>
          <p className="mt-1 font-medium break-words">{preview.subject}</p>
          <p className="mt-1 rounded-md bg-muted p-3 break-words whitespace-pre-wrap">{preview.body}</p>
        </details>
      </div>
    </li>
  )
}
