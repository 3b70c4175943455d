/** /home: the day in one look. All but the chart is drawn from one answer. */
import { useQuery } from '@tanstack/react-query'
import { format } from 'date-fns'
import { it } from 'date-fns/locale/it'
import { Suspense, useDeferredValue, useEffect } from 'react'

import { LoadError } from '@/components/load-error'
import { PageTitle } from '@/components/page-title'
import { Skeleton } from '@/components/ui/skeleton'
import { track } from '@/data/analytics'
import { useAuth } from '@/data/auth-context'
import { type Home, homeQuery } from '@/data/home'
import { ActivityCard } from '@/features/home/activity-card'
import { AskCard } from '@/features/home/ask-card'
import { BriefingCard } from '@/features/home/briefing-card'
import { FirstSteps } from '@/features/home/first-steps'
import { greeting, untilNextGreeting } from '@/features/home/greeting'
import { InsightList } from '@/features/home/insight-list'
import { InvoicesHint } from '@/features/home/invoices-hint'
import { MailCard } from '@/features/home/mail-card'
import { QuickAddLine } from '@/features/home/quick-add-line'
import { StatTiles } from '@/features/home/stat-tiles'
import { useIsNear } from '@/lib/use-is-near'
import { cn } from '@/lib/cn'
import { uninvited } from '@/lib/uninvited'
import { useNow } from '@/lib/use-now'

const CashCard = uninvited(() => import('@/features/home/cash-card'))
const GoalsCard = uninvited(() => import('@/features/home/goals-card'))
const FlatRateCard = uninvited(() => import('@/features/home/flat-rate-card'))

export default function HomePage() {
  const { user, profile } = useAuth()
  const now = new Date(useNow(untilNextGreeting))
  useEffect(() => track('dashboard_viewed'), [])
  if (!user) return null
  return (
    <div className="column grid grid-cols-[minmax(0,1fr)] items-start gap-4 py-5 sm:py-8 lg:grid-cols-[minmax(0,1.6fr)_minmax(0,1fr)]">
      <PageTitle>Home</PageTitle>
      <header>
        <p className="text-sm text-muted-foreground first-letter:uppercase">
          {format(now, 'EEEE d MMMM', { locale: it })}
        </p>
        <h1 className="font-display text-3xl font-medium break-words sm:text-4xl">
          {greeting(profile?.full_name, now)}
        </h1>
      </header>
      <Day userId={user.id} />
    </div>
  )
}

function Day({ userId }: { userId: string }) {
  const { data, isError, refetch } = useQuery(homeQuery(userId))
  // The first time it is drawn in pieces: at once it would hold a phone up for a fifth of a second.
  const isThere = useDeferredValue(data !== undefined)
  const home = isThere ? data : undefined
  return (
    <>
      {/* On a phone what is to be done comes first, and this would be moved when that arrives. */}
      <div className={cn('max-lg:order-2 lg:self-end', !home && !isError && 'max-lg:hidden')}>
        <QuickAddLine userId={userId} />
      </div>
      {home && <Cards userId={userId} home={home} />}
      {!home && !isError && <Loading />}
      {!home && isError && (
        <div className="lg:col-span-2">
          <LoadError
            text="Non riusciamo a leggere la tua giornata. I tuoi dati sono al sicuro: riprova tra un momento."
            onRetry={() => void refetch()}
          />
        </div>
      )}
    </>
  )
}

function Cards({ userId, home }: { userId: string; home: Home }) {
  return (
    <>
      <div className="h-full">
        <BriefingCard userId={userId} home={home} />
      </div>
      <StatTiles home={home} />
      <InsightList userId={userId} insights={home.insights} />
      <div className="grid-cols-[minmax(0,1fr)] gap-4 max-lg:contents lg:grid">
        <div className="empty:hidden max-lg:order-2">
          <MailCard mail={home.mail} />
        </div>
        <div className="max-lg:order-4">
          <ActivityCard activity={home.activity} />
        </div>
        <div className="empty:hidden max-lg:order-4">
          <Suspense>
            <GoalsCard userId={userId} />
          </Suspense>
        </div>
      </div>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4 max-lg:order-3">
        <Beginning userId={userId} home={home} />
        {home.has_invoices || home.deals.count > 0 ? <Chart home={home} /> : <InvoicesHint />}
      </div>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4 max-lg:order-5">
        {home.flat_rate && (
          <Suspense fallback={<Skeleton className="h-96" />}>
            <FlatRateCard userId={userId} flatRate={home.flat_rate} />
          </Suspense>
        )}
        <AskCard />
      </div>
    </>
  )
}

/** Loaded when it is about to be seen. */
function Chart({ home }: { home: Home }) {
  const [ref, isNear] = useIsNear<HTMLDivElement>()
  return (
    <div ref={ref}>
      <Suspense fallback={<Skeleton className="h-96" />}>
        {isNear ? <CashCard home={home} /> : <Skeleton className="h-96" />}
      </Suspense>
    </div>
  )
}

/** The first steps, while there is nothing better to show. */
function Beginning({ userId, home }: { userId: string; home: Home }) {
  const { profile } = useAuth()
  if (home.insights.length > 0 || home.has_invoices) return null
  return <FirstSteps userId={userId} profile={profile} />
}

function Loading() {
  return (
    <>
      <Skeleton aria-busy className="h-44" />
      <div className="grid grid-cols-2 gap-3">
        {['a', 'b', 'c', 'd'].map((key) => (
          <Skeleton key={key} className="h-24" />
        ))}
      </div>
      <Skeleton className="h-96" />
      <Skeleton className="h-96" />
    </>
  )
}
