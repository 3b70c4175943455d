import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from 'react-router'

import { LoadError } from '@/components/load-error'
import { Button } from '@/components/ui/button'
import { Card, CardDescription, CardHeader, CardTitle } from '@/components/ui/card'
import { Skeleton } from '@/components/ui/skeleton'
import { type Overview, overviewQuery } from '@/data/credits'
import { Lots } from '@/features/settings/credits/lots'
import { paths } from '@/paths'
import { credits } from '@/strings/credits'
import { shortDate } from '@/strings/dates'
import { formatCredits } from '@/strings/numbers'

/** The figures of the wallet, and the lots they are made of. */
export function OverviewCard({ userId }: { userId: string }) {
  const { data, isPending, refetch } = useQuery(overviewQuery(userId))
  return (
    <Card className="gap-5">
      <CardHeader>
        <CardTitle>Il tuo saldo</CardTitle>
        <CardDescription>I crediti pagano le funzioni IA. Usiamo per primi quelli che scadono prima.</CardDescription>
      </CardHeader>
      {isPending && <Waiting />}
      {!isPending && !data && (
        <LoadError text="Non riusciamo a leggere il tuo saldo in questo momento." onRetry={() => void refetch()} />
      )}
      {data && <Figures overview={data} />}
      <Lots userId={userId} />
      <Button asChild className="self-start">
        <Link to={paths.store}>Ricarica crediti</Link>
      </Button>
    </Card>
  )
}

const GRID = 'grid grid-cols-2 gap-x-4 gap-y-5 sm:grid-cols-4'

function Waiting() {
  return (
    <div aria-busy className={GRID}>
      {['a', 'b', 'c', 'd'].map((key) => (
        <Skeleton key={key} className="h-14" />
      ))}
    </div>
  )
}

function Figures({ overview }: { overview: Overview }) {
  return (
    <dl className={GRID}>
      <Figure name="Saldo" value={formatCredits(overview.balance)} note="da spendere ora" isMain />
      <Figure name="In uso ora" value={formatCredits(overview.held)} note="riservati a lavori in corso" />
      <Figure
        name="Questo mese"
        value={formatCredits(overview.used_this_month)}
        note={overview.monthly_cap === null ? 'usati' : `usati su ${formatCredits(overview.monthly_cap)}`}
      />
      <Figure name="Prossima scadenza" {...nextExpiry(overview)} />
    </dl>
  )
}

function nextExpiry(overview: Overview): { value: string; note: string } {
  const { next_expiry_at: date, next_expiry_credits: count, next_expiry_extends: goesOn } = overview
  if (date === null || count === null) return { value: 'Nessuna', note: 'i tuoi crediti non scadono' }
  return { value: shortDate(date), note: goesOn ? `${credits(count)}, poi si proroga da sola` : credits(count) }
}

type FigureProps = { name: string; value: ReactNode; note: string; isMain?: boolean }

function Figure({ name, value, note, isMain = false }: FigureProps) {
  return (
    <div className="grid content-start gap-0.5">
      <dt className="text-sm text-muted-foreground">{name}</dt>
      <dd className={isMain ? 'text-3xl font-semibold tabular' : 'text-xl font-semibold tabular'}>{value}</dd>
      <dd className="text-xs text-pretty text-muted-foreground">{note}</dd>
    </div>
  )
}
