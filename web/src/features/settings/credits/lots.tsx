import { useQuery } from '@tanstack/react-query'

import { LoadError } from '@/components/load-error'
import { Progress } from '@/components/ui/progress'
import { Skeleton } from '@/components/ui/skeleton'
import { type Lot, lotsQuery } from '@/data/credits'
import { lotName } from '@/strings/credits'
import { dayAndMonth, shortDate } from '@/strings/dates'
import { formatCredits } from '@/strings/numbers'

/** The lots that still hold credits, in the order in which they are used. */
export function Lots({ userId }: { userId: string }) {
  const { data: lots, isPending, refetch } = useQuery(lotsQuery(userId))
  if (isPending) return <Skeleton className="h-16" />
  if (!lots) return <LoadError text="Non riusciamo a leggere i tuoi lotti." onRetry={() => void refetch()} />
  if (lots.length === 0) return <p className="text-sm text-muted-foreground">Non hai crediti da usare.</p>
  return (
    <ul aria-label="Lotti" className="divide-y border-t">
      {lots.map((lot) => (
        <LotRow key={lot.id} lot={lot} />
      ))}
    </ul>
  )
}

function LotRow({ lot }: { lot: Lot }) {
  const name = `${lotName(lot.kind)} del ${shortDate(lot.created_at)}`
  const left = lot.remaining + lot.held
  return (
    <li className="grid gap-1.5 py-3">
      <p className="flex flex-wrap items-baseline justify-between gap-x-4 text-sm">
        <span className="font-medium">{name}</span>
        <span className="tabular">
          {formatCredits(left)} di {formatCredits(lot.amount)}
        </span>
      </p>
      <Progress value={left} max={lot.amount} aria-label={`${name}: crediti rimasti`} />
      <p className="text-xs text-muted-foreground">
        {lot.expires_at === null ? 'Senza scadenza' : `Fino al ${dayAndMonth(lot.expires_at)}`}
        {lot.held > 0 && ` · ${formatCredits(lot.held)} in uso ora`}
      </p>
    </li>
  )
}
