/** An agent: what it does, how it is, what it may do, and how to stop it. */
import { Link } from 'react-router'

import { tellFailure } from '@/components/save-failure'
import { Button } from '@/components/ui/button'
import { Card, CardTitle } from '@/components/ui/card'
import { type Agent, type Goal, type Mandate, useMoveGoal } from '@/data/goals'
import type { Enums } from '@/data/tables'
import { paths } from '@/paths'
import { dayAndMonth } from '@/strings/dates'
import { agents, autonomies, goalState, tones } from '@/strings/goals'
import { formatEuro } from '@/strings/numbers'

const ENDED = new Set<Enums<'goal_state'>>(['completato', 'fallito', 'annullato'])

type Props = {
  userId: string
  agent: Agent
  goal: Goal | undefined
  mandate: Mandate | undefined
  isStopped: boolean
}

export function AgentCard({ userId, agent, goal, mandate, isStopped }: Props) {
  const open = goal && !ENDED.has(goal.state) ? goal : null
  const { name, lines } = agents[agent]
  const toMandate = open && mandate ? 'Mandato' : 'Prova e attiva'
  return (
    <Card>
      <div className="flex flex-wrap items-baseline justify-between gap-2">
        <CardTitle>{name}</CardTitle>
        <p role="status" className="text-sm font-medium">
          {statusOf(open, isStopped)}
        </p>
      </div>
      <ul className="grid list-disc gap-1 pl-5 text-sm text-pretty text-muted-foreground">
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      {mandate ? (
        <Summary mandate={mandate} />
      ) : (
        <p className="text-sm">Non ha nessun mandato: non può scrivere a nessuno.</p>
      )}
      <div className="flex flex-wrap gap-2">
        {open && mandate && <Moves userId={userId} goal={open} />}
        <Button variant={open && mandate ? 'outline' : 'default'} asChild>
          <Link to={paths.mandate(agent)} aria-label={`${toMandate}: ${name}`}>
            {toMandate}
          </Link>
        </Button>
      </div>
    </Card>
  )
}

function statusOf(open: Goal | null, isStopped: boolean): string {
  if (!open) return 'Spento'
  return isStopped ? 'Fermo' : goalState(open)
}

function Summary({ mandate }: { mandate: Mandate }) {
  return (
    <p className="text-sm text-pretty">
      Mandato del {dayAndMonth(mandate.given_at)}: <strong>{autonomies[mandate.autonomy].title.toLowerCase()}</strong>
      {mandate.autonomy !== 'proponi' && (
        <>
          , fino a {formatEuro(mandate.max_cents)} per messaggio e {mandate.max_recipients_day} messaggi al giorno
          {mandate.autonomy === 'supervisionata' && `, tono al massimo ${tones[mandate.last_tone]}`}
        </>
      )}
      .
    </p>
  )
}

function Moves({ userId, goal }: { userId: string; goal: Goal }) {
  const move = useMoveGoal(userId)
  const isPaused = goal.state === 'in_pausa'
  const to = (state: Enums<'goal_state'>) => move.mutate({ id: goal.id, state }, { onError: tellFailure })
  return (
    <>
      <Button disabled={move.isPending} onClick={() => to(isPaused ? 'attivo' : 'in_pausa')}>
        {isPaused ? 'Riprendi' : 'Metti in pausa'}
      </Button>
      <Button variant="outline" disabled={move.isPending} onClick={() => to('annullato')}>
        Spegni
      </Button>
    </>
  )
}
