/** /home: greeting, a question for the assistant, balance, latest notifications, first steps, what the invoices brought. */
import { format } from 'date-fns'
import { it } from 'date-fns/locale/it'
import { useEffect } from 'react'

import { PageTitle } from '@/components/page-title'
import { track } from '@/data/analytics'
import { useAuth } from '@/data/auth-context'
import { AskCard } from '@/features/home/ask-card'
import { BalanceCard } from '@/features/home/balance-card'
import { FirstSteps } from '@/features/home/first-steps'
import { greeting, untilNextGreeting } from '@/features/home/greeting'
import { InvoicedCard } from '@/features/home/invoiced-card'
import { LatestNotifications } from '@/features/home/latest-notifications'
import { useNow } from '@/lib/use-now'

export default function HomePage() {
  const { user, profile } = useAuth()
  const now = new Date(useNow(untilNextGreeting))
  useEffect(() => track('dashboard_viewed'), [])
  if (!user) return null
  return (
    <div className="column py-8">
      <PageTitle>Home</PageTitle>
      <header className="mb-8">
        <p className="text-sm text-muted-foreground first-letter:uppercase">
          {format(now, 'EEEE d MMMM', { locale: it })}
        </p>
        <h1 className="font-display text-3xl font-medium break-words sm:text-5xl">
          {greeting(profile?.full_name, now)}
        </h1>
      </header>
      <div className="grid items-start gap-4 lg:grid-cols-[1.6fr_1fr]">
        <div className="grid gap-4">
          <AskCard />
          <FirstSteps userId={user.id} profile={profile} />
          <InvoicedCard userId={user.id} />
        </div>
        <div className="grid gap-4">
          <BalanceCard userId={user.id} />
          <LatestNotifications userId={user.id} />
        </div>
      </div>
    </div>
  )
}
