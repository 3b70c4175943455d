/** /projects?vista=obiettivi: what agents do for the person, what waits for a yes, and the log that proves it. */
import { useQuery } from '@tanstack/react-query'
import { PlusIcon, TargetIcon } from 'lucide-react'
import { Link, useSearchParams } from 'react-router'

import { EmptyState } from '@/components/empty-state'
import { LoadError } from '@/components/load-error'
import { PageTitle } from '@/components/page-title'
import { TaskViewTabs } from '@/components/task-view-tabs'
import { Button } from '@/components/ui/button'
import { Card, CardTitle } from '@/components/ui/card'
import { Skeleton } from '@/components/ui/skeleton'
import { useUser } from '@/data/auth-context'
import {
  AGENTS,
  type GoalStep,
  goalsQuery,
  goalStepsQuery,
  isAgent,
  isOpen,
  mandatesQuery,
  stoppedQuery,
} from '@/data/goals'
import { AgentCard } from '@/features/goals/agent-card'
import { ApprovalQueue } from '@/features/goals/approval-queue'
import { EthicalLog } from '@/features/goals/ethical-log'
import { MandatePage } from '@/features/goals/mandate-page'
import { NewGoal } from '@/features/goals/new-goal'
import { StepList } from '@/features/goals/step-list'
import { StopSwitch } from '@/features/goals/stop-switch'
import { WeekCard } from '@/features/goals/week-card'
import { WritingCard } from '@/features/goals/writing-card'
import { paths } from '@/paths'
import { credits } from '@/strings/credits'
import { dayInDigits } from '@/strings/dates'
import { countText } from '@/strings/home'

export default function GoalsPage() {
  const { id: userId } = useUser()
  const [params] = useSearchParams()
  const mandated = params.get('mandato')
  const isNew = params.has('nuovo')
  return (
    <div className="column grid grid-cols-[minmax(0,1fr)] gap-5 py-6 sm:py-8">
      <PageTitle>Obiettivi</PageTitle>
      <header className="flex flex-wrap items-center justify-between gap-3">
        <h1 className="text-2xl font-semibold">Obiettivi</h1>
        <div className="flex flex-wrap gap-2">
          {!isNew && !isAgent(mandated) && <CreateGoal userId={userId} />}
          <StopSwitch userId={userId} />
        </div>
      </header>
      <TaskViewTabs current="obiettivi" />
      {isAgent(mandated) ? (
        <MandatePage key={mandated} userId={userId} agent={mandated} />
      ) : isNew ? (
        <NewGoal userId={userId} />
      ) : (
        <Overview userId={userId} />
      )}
    </div>
  )
}

/** Shown above the goals that there are; without one, the empty state has it. */
function CreateGoal({ userId }: { userId: string }) {
  const { data: goals } = useQuery(goalsQuery(userId))
  return goals?.some(isOpen) ? <CreateButton /> : null
}

function CreateButton() {
  return (
    <Button asChild>
      <Link to={paths.newGoal}>
        <PlusIcon aria-hidden />
        Crea obiettivo
      </Link>
    </Button>
  )
}

function Overview({ userId }: { userId: string }) {
  const goals = useQuery(goalsQuery(userId))
  const steps = useQuery(goalStepsQuery(userId))
  const mandates = useQuery(mandatesQuery(userId))
  const stopped = useQuery(stoppedQuery(userId))
  const failed = [goals, steps, mandates, stopped].find(({ isError, data }) => isError && data === undefined)
  if (failed)
    return (
      <LoadError
        text="Non riusciamo a leggere i tuoi obiettivi. Nessun messaggio parte per questo: riprova tra un momento."
        onRetry={() => void failed.refetch()}
      />
    )
  if (!goals.data || !steps.data || !mandates.data || !stopped.data) return <Loading />
  const waiting = steps.data.filter(({ state }) => state === 'in_approvazione')
  const agentOf = new Map(goals.data.map(({ id, agent }) => [id, agent]))
  const batches = AGENTS.flatMap((agent) => {
    const own = waiting.filter(({ goal_id: id }) => agentOf.get(id) === agent)
    // A merge is approved alone, so that it is read.
    const alone = own.filter(({ tool }) => tool === 'merge').map((step) => [step])
    return [own.filter(({ tool }) => tool !== 'merge'), ...alone].map((batch) => ({ agent, batch }))
  })
  const written = steps.data.filter(({ letter }) => letter === 'attesa')
  const others = steps.data.filter(({ state, letter }) => state !== 'in_approvazione' && letter !== 'attesa')
  return (
    <>
      {stopped.data.all && (
        <p role="status" className="rounded-md bg-warning-tint p-4 text-sm">
          Per sicurezza abbiamo fermato tutti gli agenti: finché non li riaccendiamo non parte nessun messaggio.
        </p>
      )}
      {!goals.data.some(isOpen) && (
        <EmptyState
          icon={TargetIcon}
          title="Nessun obiettivo in corso"
          text="Di’ che cosa vuoi ottenere: vedi il piano, il costo e i limiti prima che parta qualcosa."
        >
          <CreateButton />
        </EmptyState>
      )}
      {written.length > 0 && <WritingCard steps={written} />}
      {batches.map(
        ({ agent, batch }) =>
          batch.length > 0 && (
            // Ticks belong to the proposals that were there when they were made.
            <ApprovalQueue key={batch.map(({ id }) => id).join()} userId={userId} agent={agent} steps={batch} />
          ),
      )}
      <section aria-labelledby="agenti" className="grid gap-4 md:grid-cols-2">
        <div className="flex flex-wrap items-baseline justify-between gap-x-3 md:col-span-2">
          <h2 id="agenti" className="text-lg font-semibold">
            I tuoi agenti
          </h2>
          <p className="text-sm text-muted-foreground">{todayText(steps.data)}</p>
        </div>
        {AGENTS.map((agent) => (
          <AgentCard
            key={agent}
            userId={userId}
            agent={agent}
            goal={goals.data.find((each) => each.agent === agent)}
            steps={steps.data.filter(({ goal_id: id }) => agentOf.get(id) === agent)}
            mandate={mandates.data.find((each) => each.agent === agent)}
            isStopped={stopped.data.mine}
          />
        ))}
        <BriefingCard />
      </section>
      <WeekCard userId={userId} />
      {others.length > 0 && <StepList userId={userId} steps={others} />}
      <EthicalLog userId={userId} />
    </>
  )
}

/** What agents did today, and what it cost. */
function todayText(steps: readonly GoalStep[]): string {
  const today = dayInDigits(new Date().toISOString())
  const done = steps.filter(({ done_at: at }) => at !== null && dayInDigits(at) === today)
  // A letter is paid when it is written, and may leave on another day.
  const used = steps
    .filter(({ written_at: at }) => at !== null && dayInDigits(at) === today)
    .reduce((sum, { max_credits: cost }) => sum + cost, 0)
  return `Oggi: ${countText(done.length, 'cosa fatta', 'cose fatte')}, ${credits(used)}`
}

/** The fifth agent needs no mandate: it writes to its person only, and its hour is a setting. */
function BriefingCard() {
  return (
    <Card>
      <CardTitle>Briefing del mattino</CardTitle>
      <p className="text-sm text-pretty text-muted-foreground">
        Ti dice ogni mattina che cosa conta oggi: impegni, soldi, persone da risentire. Scrive solo a te, all’ora e sui
        canali che scegli. Non usa crediti.
      </p>
      <Button variant="outline" className="self-start" asChild>
        <Link to={paths.settingsNotifications}>Scegli ora e canali</Link>
      </Button>
    </Card>
  )
}

function Loading() {
  return (
    <>
      <Skeleton aria-busy className="h-48" />
      <Skeleton className="h-32" />
    </>
  )
}
