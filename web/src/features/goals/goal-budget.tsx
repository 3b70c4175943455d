/** How many credits the letters of a goal have used of their cap, and more of them with one tap. */
import { tellFailure } from '@/components/save-failure'
import { Button } from '@/components/ui/button'
import { Progress } from '@/components/ui/progress'
import { type Goal, type Mandate, useContinueGoal } from '@/data/goals'
import { credits } from '@/strings/credits'

type Props = { userId: string; name: string; goal: Goal; mandate: Mandate }

export function GoalBudget({ userId, name, goal, mandate }: Props) {
  const more = useContinueGoal(userId)
  const { letter_credits: price, letter_budget: step } = mandate
  if (price === null || step === null) return null
  const { spent_credits: spent, budget_credits: budget } = goal
  const isUsedUp = spent + Math.max(price, 1) > budget
  const isNearlyUsed = spent * 5 >= budget * 4
  return (
    <div className="grid gap-1.5 text-sm">
      <p className="flex flex-wrap justify-between gap-x-3">
        <span>Testi dell’assistente</span>
        <span className="tabular">
          {spent} di {credits(budget)}
        </span>
      </p>
      <Progress value={Math.min(spent, budget)} max={Math.max(budget, 1)} aria-label={`Crediti usati da ${name}`} />
      {isUsedUp && <p className="text-pretty">I crediti sono finiti: aspetta la tua decisione.</p>}
      {isNearlyUsed && !isUsedUp && <p className="text-pretty text-muted-foreground">I crediti stanno per finire.</p>}
      {isNearlyUsed && (
        <Button
          variant={isUsedUp ? 'default' : 'outline'}
          className="justify-self-start"
          disabled={more.isPending}
          onClick={() => more.mutate({ id: goal.id, budget }, { onError: tellFailure })}
        >
          Continua con {step === 1 ? 'un altro' : `altri ${step}`}
        </Button>
      )}
    </div>
  )
}
