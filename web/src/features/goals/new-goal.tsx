/** `?vista=obiettivi&nuovo=1`: what a person wants to reach; a choice leads to the rehearsal, the plan and the mandate. */
import { useQuery } from '@tanstack/react-query'
import { ChevronRightIcon } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { Link, useNavigate } from 'react-router'

import { LoadError } from '@/components/load-error'
import { tellFailure } from '@/components/save-failure'
import { Skeleton } from '@/components/ui/skeleton'
import { chatSettingsQuery } from '@/data/chat-settings'
import { type Agent, AGENTS, type Goal, goalsQuery, isOpen, usePlanGoal } from '@/data/goals'
import { paths } from '@/paths'
import { credits } from '@/strings/credits'
import { agents, briefing, goalState } from '@/strings/goals'

const ROW =
  'flex min-h-11 w-full items-center gap-3 rounded-md border border-input p-3 text-left text-sm transition-colors hover:bg-muted'

export function NewGoal({ userId }: { userId: string }) {
  const goals = useQuery(goalsQuery(userId))
  const title = useRef<HTMLHeadingElement>(null)
  // Whoever comes from the palette or the keyboard starts here.
  useEffect(() => title.current?.focus(), [])
  return (
    <section aria-labelledby="nuovo-obiettivo" className="grid max-w-3xl gap-4">
      <Link to={paths.goals} className="justify-self-start text-sm font-medium underline">
        Torna agli obiettivi
      </Link>
      <div className="grid gap-1">
        <h2 id="nuovo-obiettivo" ref={title} tabIndex={-1} className="text-lg font-semibold outline-none">
          Che cosa vuoi ottenere?
        </h2>
        <p className="text-sm text-pretty text-muted-foreground">
          Prima leggi la prova e il piano, poi dai il mandato. Scegliere non fa partire niente.
        </p>
      </div>
      {goals.isError && !goals.data && (
        <LoadError text="Non riusciamo a leggere i tuoi obiettivi." onRetry={() => void goals.refetch()} />
      )}
      {goals.isPending && <Skeleton aria-busy className="h-80" />}
      {goals.data && (
        <ul aria-label="Obiettivi possibili" className="grid gap-2">
          {AGENTS.map((agent) => (
            <li key={agent}>
              <Aim
                userId={userId}
                agent={agent}
                goal={goals.data.find((goal) => goal.agent === agent && isOpen(goal)) ?? null}
              />
            </li>
          ))}
          <li>
            <Link to={paths.settingsNotifications} className={ROW}>
              <Words aim={briefing.aim} line={briefing.line} cost="gratis" />
            </Link>
          </li>
        </ul>
      )}
    </section>
  )
}

function Aim({ userId, agent, goal }: { userId: string; agent: Agent; goal: Goal | null }) {
  const navigate = useNavigate()
  const plan = usePlanGoal(userId)
  const { data: settings } = useQuery(chatSettingsQuery(userId))
  const { name, aim, line, action } = agents[agent]
  const price = settings?.prices.letter
  const cost =
    action === 'mail' && price !== undefined && settings?.ai
      ? `gratis, o ${credits(price)} a testo se li scrive l’assistente`
      : 'gratis'

  async function choose() {
    try {
      await plan.mutateAsync({ agent, title: name })
    } catch (error) {
      tellFailure(error)
      return
    }
    void navigate(paths.mandate(agent))
  }

  const words = <Words aim={aim} line={line} cost={cost} state={goal && goalState(goal)} />
  if (goal)
    return (
      <Link to={paths.mandate(agent)} className={ROW}>
        {words}
      </Link>
    )
  return (
    <button type="button" disabled={plan.isPending} onClick={() => void choose()} className={ROW}>
      {words}
    </button>
  )
}

type WordsProps = { aim: string; line: string; cost: string; state?: string | null }

function Words({ aim, line, cost, state = null }: WordsProps) {
  return (
    <>
      <span className="grid min-w-0 flex-1 gap-0.5">
        <span className="flex flex-wrap items-baseline justify-between gap-x-3">
          <span className="font-medium">{aim}</span>
          {state && <span className="font-medium">{state}</span>}
        </span>
        <span className="text-pretty text-muted-foreground">
          {line} Costo: {cost}.
        </span>
      </span>
      <ChevronRightIcon aria-hidden className="size-5 shrink-0 text-muted-foreground" />
    </>
  )
}
