/** An agent: what it does, how it is, what it may do, and how to stop it. */
import { Link } from 'react-router'

import { tellFailure } from '@/components/save-failure'
import { Button } from '@/components/ui/button'
import { Card, CardTitle } from '@/components/ui/card'
import { type Agent, type Goal, type GoalStep, isOpen, isPlanned, type Mandate, useMoveGoal } from '@/data/goals'
import type { Enums } from '@/data/tables'
import { GoalBudget } from '@/features/goals/goal-budget'
import { paths } from '@/paths'
import { dayAndMonth } from '@/strings/dates'
import { agents, autonomies, goalState, mandateChannels, mandateWriter, tones } from '@/strings/goals'
import { countText } from '@/strings/home'
import { formatEuro } from '@/strings/numbers'

type Props = {
  userId: string
  agent: Agent
  goal: Goal | undefined
  /** The latest first. */
  steps: readonly GoalStep[]
  mandate: Mandate | undefined
  isStopped: boolean
}

export function AgentCard({ userId, agent, goal, steps, mandate, isStopped }: Props) {
  const planned = goal && isPlanned(goal) ? goal : null
  const open = goal && isOpen(goal) && !planned ? goal : null
  const { name, lines, action } = agents[agent]
  const toMandate = planned ? 'Vedi il piano' : open && mandate ? 'Piano e mandato' : 'Prova e attiva'
  return (
    <Card>
      <div className="flex flex-wrap items-baseline justify-between gap-2">
        <CardTitle>{name}</CardTitle>
        <p role="status" className="text-sm font-medium">
          {statusOf(planned ?? open, isStopped)}
        </p>
      </div>
      {planned && <p className="text-sm text-pretty">Il piano è pronto: parte quando dai il mandato.</p>}
      {open && !isStopped && <p className="text-sm text-pretty">{now(steps)}</p>}
      <ul className="grid list-disc gap-1 pl-5 text-sm text-pretty text-muted-foreground">
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      {mandate ? (
        <Summary mandate={mandate} action={action} />
      ) : (
        <p className="text-sm">
          Non ha nessun mandato: non può {action === 'mail' ? 'scrivere a nessuno' : 'cambiare niente'}.
        </p>
      )}
      {open && mandate && <GoalBudget userId={userId} name={name} goal={open} mandate={mandate} />}
      <div className="flex flex-wrap gap-2">
        {open && mandate && <Moves userId={userId} goal={open} />}
        {planned && <DropPlan userId={userId} goal={planned} name={name} />}
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

/** What it is doing, and for whom it waits. */
function now(steps: readonly GoalStep[]): string {
  const waiting = steps.filter(({ state }) => state === 'in_approvazione').length
  const leaving = steps.filter(({ state }) => state === 'pianificato' || state === 'approvato')
  const last = steps.find(({ state }) => state === 'fatto')
  if (waiting > 0) return `Aspetta il tuo sì per ${countText(waiting, 'proposta', 'proposte')}.`
  if (leaving[0]) return `In corso: «${leaving[0].preview.title}»${leaving.length > 1 ? ` e altro` : ''}.`
  return last ? `Ultima cosa fatta: «${last.preview.title}».` : 'Per ora non ha trovato niente da fare.'
}

function Summary({ mandate, action }: { mandate: Mandate; action: 'mail' | 'archivio' }) {
  return (
    <p className="text-sm text-pretty">
      Mandato del {dayAndMonth(mandate.given_at)}:{' '}
      <strong>{autonomies.mail[mandate.autonomy]?.title.toLowerCase()}</strong>
      {action === 'mail' && mandate.autonomy !== 'proponi' && (
        <>
          , fino a {formatEuro(mandate.max_cents)} per messaggio e {mandate.max_recipients_day} messaggi al giorno
          {mandate.autonomy === 'supervisionata' && `, tono al massimo ${tones[mandate.last_tone]}`}
        </>
      )}
      {mandateChannels(mandate) && `, ${mandateChannels(mandate)}`}
      {mandateWriter(mandate) && `, ${mandateWriter(mandate)}`}
      {mandate.claims_interest && ', con gli interessi di mora nell’ultimo sollecito'}.
    </p>
  )
}

function DropPlan({ userId, goal, name }: { userId: string; goal: Goal; name: string }) {
  const move = useMoveGoal(userId)
  return (
    <Button
      variant="outline"
      aria-label={`Scarta il piano: ${name}`}
      disabled={move.isPending}
      onClick={() => move.mutate({ id: goal.id, state: 'annullato' }, { onError: tellFailure })}
    >
      Scarta
    </Button>
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
