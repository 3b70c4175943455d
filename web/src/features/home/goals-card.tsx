/** «Obiettivi attivi»: what agents are doing, with what waits; nothing without one. */
import { useQuery } from '@tanstack/react-query'
import { PauseIcon, PlayIcon } from 'lucide-react'
import { Link } from 'react-router'

import { tellFailure } from '@/components/save-failure'
import { Button } from '@/components/ui/button'
import { Card, CardTitle } from '@/components/ui/card'
import { type Goal, goalsQuery, isOpen, isPlanned, useMoveGoal } from '@/data/goals'
import { paths } from '@/paths'
import { goalState } from '@/strings/goals'

export default function GoalsCard({ userId }: { userId: string }) {
  const { data } = useQuery(goalsQuery(userId))
  const active = data?.filter((goal) => isOpen(goal) && !isPlanned(goal)) ?? []
  if (active.length === 0) return null
  return (
    <Card className="gap-3">
      <CardTitle>Obiettivi attivi</CardTitle>
      <ul aria-label="Obiettivi attivi" className="divide-y text-sm">
        {active.map((goal) => (
          <Line key={goal.id} userId={userId} goal={goal} />
        ))}
      </ul>
    </Card>
  )
}

function Line({ userId, goal }: { userId: string; goal: Goal }) {
  const move = useMoveGoal(userId)
  const isPaused = goal.state === 'in_pausa'
  return (
    <li className="flex items-center justify-between gap-3">
      <Link to={paths.goals} className="min-w-0 py-2.5 break-words hover:underline">
        <span className="font-medium">{goal.title}</span>
        <span className="block text-muted-foreground">{goalState(goal)}</span>
      </Link>
      <Button
        variant="ghost"
        size="icon"
        aria-label={isPaused ? `Riprendi: ${goal.title}` : `Metti in pausa: ${goal.title}`}
        disabled={move.isPending}
        onClick={() => move.mutate({ id: goal.id, state: isPaused ? 'attivo' : 'in_pausa' }, { onError: tellFailure })}
      >
        {isPaused ? <PlayIcon aria-hidden /> : <PauseIcon aria-hidden />}
      </Button>
    </li>
  )
}
