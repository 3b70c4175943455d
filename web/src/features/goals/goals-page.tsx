/** /projects?vista=obiettivi: what agents do for the person, what waits for a yes, and the log that proves it. */
import { useQuery } from '@tanstack/react-query'
import { useSearchParams } from 'react-router'

import { LoadError } from '@/components/load-error'
import { PageTitle } from '@/components/page-title'
import { TaskViewTabs } from '@/components/task-view-tabs'
import { Skeleton } from '@/components/ui/skeleton'
import { useUser } from '@/data/auth-context'
import { AGENTS, goalsQuery, goalStepsQuery, isAgent, mandatesQuery, stoppedQuery } from '@/data/goals'
import { AgentCard } from '@/features/goals/agent-card'
import { ApprovalQueue } from '@/features/goals/approval-queue'
import { EthicalLog } from '@/features/goals/ethical-log'
import { MandatePage } from '@/features/goals/mandate-page'
import { StepList } from '@/features/goals/step-list'
import { StopSwitch } from '@/features/goals/stop-switch'
import { WeekCard } from '@/features/goals/week-card'

export default function GoalsPage() {
  const { id: userId } = useUser()
  const [params] = useSearchParams()
  const mandated = params.get('mandato')
  return (
    <div className="column grid grid-cols-[minmax(0,1fr)] gap-5 py-6 sm:py-8">
      <PageTitle>Obiettivi</PageTitle>
      <header className="flex flex-wrap items-center justify-between gap-3">
        <h1 className="text-2xl font-semibold">Obiettivi</h1>
        <StopSwitch userId={userId} />
      </header>
      <TaskViewTabs current="obiettivi" />
      {isAgent(mandated) ? (
        <MandatePage key={mandated} userId={userId} agent={mandated} />
      ) : (
        <Overview userId={userId} />
      )}
    </div>
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
  const agentOf = new Map(goals.data.map(({ id, agent }) => [id, agent]))
  const batches = AGENTS.map((agent) => ({
    agent,
    steps: steps.data.filter(({ state, goal_id: id }) => state === 'in_approvazione' && agentOf.get(id) === agent),
  }))
  const others = steps.data.filter(({ state }) => state !== 'in_approvazione')
  return (
    <>
      {stopped.data.all && (
        <p role="status" className="rounded-md bg-warning-tint p-4 text-sm">
          Per sicurezza abbiamo fermato tutti gli agenti: finché non li riaccendiamo non parte nessun messaggio.
        </p>
      )}
      {batches.map(
        ({ agent, steps: waiting }) =>
          waiting.length > 0 && (
            // Ticks belong to the proposals that were there when they were made.
            <ApprovalQueue key={waiting.map(({ id }) => id).join()} userId={userId} agent={agent} steps={waiting} />
          ),
      )}
      {AGENTS.map((agent) => (
        <AgentCard
          key={agent}
          userId={userId}
          agent={agent}
          goal={goals.data.find((each) => each.agent === agent)}
          mandate={mandates.data.find((each) => each.agent === agent)}
          isStopped={stopped.data.mine}
        />
      ))}
      <WeekCard userId={userId} />
      {others.length > 0 && <StepList steps={others} />}
      <EthicalLog userId={userId} />
    </>
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
