/** The plan: the steps that the agent takes under the mandate as it is being written, their cost, hours, and what stops it. */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { CheckIcon } from 'lucide-react'
import type { ReactNode } from 'react'

import { LoadError } from '@/components/load-error'
import { Card, CardTitle } from '@/components/ui/card'
import { Skeleton } from '@/components/ui/skeleton'
import { type Agent, type Plan, type PlannedStep, planQuery, rehearsalQuery, type Terms } from '@/data/goals'
import { credits } from '@/strings/credits'
import { agents } from '@/strings/goals'
import { planCost, planHours, planStops, stepAsks, stepTitle, stepUndo, stepWay, type StopLimits } from '@/strings/plan'

type Props = {
  userId: string
  agent: Agent
  terms: Terms
  limits: StopLimits
  onSkip: (steps: readonly string[]) => void
}

export function PlanCard({ userId, agent, terms, limits, onSkip }: Props) {
  const plan = useQuery({ ...planQuery(userId, agent, terms), placeholderData: keepPreviousData })
  const rehearsal = useQuery(rehearsalQuery(userId, agent))
  if (plan.isError && !plan.data)
    return <LoadError text="Non riusciamo a leggere il piano." onRetry={() => void plan.refetch()} />
  if (!plan.data) return <Skeleton aria-busy className="h-72" />
  const { steps } = plan.data
  const toggle = (key: string) =>
    onSkip(
      terms.skippedSteps.includes(key)
        ? terms.skippedSteps.filter((each) => each !== key)
        : [...terms.skippedSteps, key],
    )
  return (
    <Card>
      <CardTitle>Il piano: {agents[agent].aim.toLowerCase()}</CardTitle>
      <p className="text-sm text-pretty text-muted-foreground">
        {agents[agent].name} farà solo questi passi, per {agents[agent].target}. Niente parte senza il tuo mandato.
      </p>
      <ol aria-label="Passi del piano" className="divide-y border-y">
        {steps.map((step) => (
          <Step
            key={step.key}
            agent={agent}
            step={step}
            times={rehearsal.data?.steps[step.key] ?? 0}
            isSkipped={terms.skippedSteps.includes(step.key)}
            onToggle={() => toggle(step.key)}
          />
        ))}
      </ol>
      {steps.every(({ key }) => terms.skippedSteps.includes(key)) && (
        <p role="status" className="rounded-md bg-warning-tint p-3 text-sm">
          Così non fa niente: lascia almeno un passo.
        </p>
      )}
      <Facts agent={agent} plan={plan.data} limits={limits} />
    </Card>
  )
}

type StepProps = { agent: Agent; step: PlannedStep; times: number; isSkipped: boolean; onToggle: () => void }

function Step({ agent, step, times, isSkipped, onToggle }: StepProps) {
  const isOn = !(step.is_optional && isSkipped)
  const title = stepTitle(agent, step)
  return (
    <li className="grid py-2 text-sm">
      <div className="flex items-start justify-between gap-3">
        {step.is_optional ? (
          <label className="flex min-h-11 min-w-0 cursor-pointer items-center gap-3 font-medium">
            <input
              type="checkbox"
              checked={isOn}
              onChange={onToggle}
              className="size-5 shrink-0 accent-primary"
              aria-describedby={`passo-${step.key}`}
            />
            {title}
          </label>
        ) : (
          <p className="flex min-h-11 min-w-0 items-center gap-3 font-medium">
            <CheckIcon aria-hidden className="size-5 shrink-0 text-muted-foreground" />
            {title}
          </p>
        )}
        <p className="flex min-h-11 shrink-0 items-center tabular">
          {isOn && (step.max_credits > 0 ? `max ${credits(step.max_credits)} l’uno` : 'gratis')}
        </p>
      </div>
      <p id={`passo-${step.key}`} className="pl-8 text-pretty text-muted-foreground">
        {isOn
          ? `${stepWay(step)}. ${stepAsks(step)}. ${stepUndo(step)}.${times > 0 ? ` Nella prova: ${times}.` : ''}`
          : 'Lasciato fuori: non lo fa.'}
      </p>
    </li>
  )
}

function Facts({ agent, plan, limits }: { agent: Agent; plan: Plan; limits: StopLimits }) {
  return (
    <dl className="grid gap-3 text-sm sm:grid-cols-[8rem_minmax(0,1fr)] sm:gap-x-4">
      <Fact name="Costo in tutto">{planCost(plan)}</Fact>
      <Fact name="Quando">{planHours(agent, plan)}</Fact>
      <Fact name="Si ferma o chiede">
        <ul className="grid list-disc gap-1 pl-5">
          {planStops(agent, plan, limits).map((stop) => (
            <li key={stop}>{stop}</li>
          ))}
        </ul>
      </Fact>
    </dl>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="font-medium max-sm:-mb-2">{name}</dt>
      <dd className="text-pretty">{children}</dd>
    </>
  )
}
