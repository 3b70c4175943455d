/** What a newcomer has done and what comes next, read from real rows; nothing once all is done. */
import { useQuery } from '@tanstack/react-query'
import { ArrowRightIcon, CheckIcon } from 'lucide-react'
import { Link } from 'react-router'

import { Card, CardDescription, CardHeader, CardTitle } from '@/components/ui/card'
import { Progress } from '@/components/ui/progress'
import { Skeleton } from '@/components/ui/skeleton'
import { track } from '@/data/analytics'
import { hasContactsQuery } from '@/data/contacts'
import { type Notification, notificationsQuery } from '@/data/notifications'
import type { Profile } from '@/data/profiles'
import { cn } from '@/lib/cn'
import { paths } from '@/paths'

type Step = { title: string; text: string; done: boolean; to?: string }

/** Whether the welcome, which is as old as the account, was read or is gone; or something else was read. */
function hasRead(notifications: Notification[], profile: Profile): boolean {
  const opened = Date.parse(profile.created_at)
  return notifications.some((row) => row.is_read) || notifications.every((row) => Date.parse(row.created_at) > opened)
}

function firstSteps(profile: Profile, hasReadNotification: boolean, hasContacts: boolean): Step[] {
  return [
    { title: 'Crea il tuo account', text: 'Indirizzo confermato, saldo dei crediti aperto.', done: true },
    {
      title: 'Racconta la tua attività',
      text: 'Bastano due minuti: Socio userà queste informazioni per aiutarti meglio.',
      done: Boolean(profile.activity ?? profile.business_name),
      to: paths.onboarding,
    },
    {
      title: 'Leggi la prima notifica',
      text: 'Le trovi sempre nella campanella in alto.',
      done: hasReadNotification,
      to: paths.notifications,
    },
    {
      title: 'Aggiungi il primo contatto',
      text: 'Da lì partono attività, documenti e promemoria.',
      done: hasContacts,
      to: paths.crm,
    },
  ]
}

export function FirstSteps({ userId, profile }: { userId: string; profile: Profile | null }) {
  const notifications = useQuery(notificationsQuery(userId))
  const contacts = useQuery(hasContactsQuery(userId))
  if (notifications.isPending || contacts.isPending) return <Waiting />
  // Without the rows nobody can say what is done; a wrong «da fare» would be worse than nothing.
  if (!profile || !notifications.data || contacts.data === undefined) return null

  const steps = firstSteps(profile, hasRead(notifications.data, profile), contacts.data)
  const done = steps.filter((step) => step.done).length
  const next = steps.find((step) => !step.done)
  if (!next) return null
  return (
    <Card className="gap-5">
      <CardHeader>
        <CardTitle>Primi passi</CardTitle>
        <CardDescription className="tabular">
          {done} di {steps.length} completati
        </CardDescription>
      </CardHeader>
      <Progress value={done} max={steps.length} aria-label="Primi passi completati" />
      <ol className="divide-y">
        {steps.map((step, index) => (
          <StepRow key={step.title} step={step} number={index + 1} isNext={step === next} />
        ))}
      </ol>
    </Card>
  )
}

function Waiting() {
  return (
    <Card className="gap-5" aria-busy>
      <CardTitle>Primi passi</CardTitle>
      <Skeleton className="h-1.5" />
      {['a', 'b', 'c', 'd'].map((key) => (
        <Skeleton key={key} className="h-14" />
      ))}
    </Card>
  )
}

function StepRow({ step, number, isNext }: { step: Step; number: number; isNext: boolean }) {
  const body = (
    <>
      <span
        className={cn(
          'grid size-7 shrink-0 place-items-center rounded-full border text-xs font-semibold tabular',
          step.done && 'border-primary bg-primary text-primary-foreground',
          isNext && 'border-primary text-primary',
        )}
      >
        {step.done ? <CheckIcon aria-label="Fatto" className="size-4" /> : number}
      </span>
      <span className="grid min-w-0 gap-0.5">
        <span className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
          <span className={cn('font-medium', step.done && 'text-muted-foreground')}>{step.title}</span>
        </span>
        <span className="text-sm text-muted-foreground">{step.text}</span>
      </span>
      {isNext && <ArrowRightIcon aria-hidden className="ml-auto size-[18px] shrink-0 text-primary" />}
    </>
  )
  const shape = 'flex min-h-16 items-center gap-4 py-3'
  return (
    <li>
      {step.to && !step.done ? (
        <Link
          to={step.to}
          onClick={() => track('dashboard_insight_action', { insightType: 'first_steps' })}
          className={cn(shape, '-mx-2 rounded-sm px-2 transition-colors hover:bg-muted')}
        >
          {body}
        </Link>
      ) : (
        <div className={shape}>{body}</div>
      )}
    </li>
  )
}
