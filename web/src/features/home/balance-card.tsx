import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'

import { LoadError } from '@/components/load-error'
import { Button } from '@/components/ui/button'
import { Card, CardTitle } from '@/components/ui/card'
import { Skeleton } from '@/components/ui/skeleton'
import { track } from '@/data/analytics'
import { balanceQuery } from '@/data/wallet'
import { paths } from '@/paths'
import { formatCredits } from '@/strings/numbers'

export function BalanceCard({ userId }: { userId: string }) {
  const { data: balance, isPending, refetch } = useQuery(balanceQuery(userId))
  return (
    <Card>
      <CardTitle>Crediti</CardTitle>
      {isPending && <Skeleton className="h-10 w-24" />}
      {!isPending && balance === undefined && (
        <LoadError text="Non riusciamo a leggere il saldo." onRetry={() => void refetch()} />
      )}
      {balance !== undefined && (
        <p className="flex items-baseline gap-2">
          <span className="text-3xl font-semibold tabular" data-testid="balance">
            {formatCredits(balance)}
          </span>
          <span className="text-sm text-muted-foreground">{balance === 1 ? 'credito' : 'crediti'} a disposizione</span>
        </p>
      )}
      <Button variant="outline" asChild>
        <Link to={paths.store} onClick={() => track('dashboard_stat_clicked', { stat: 'credits' })}>
          Ricarica crediti
        </Link>
      </Button>
    </Card>
  )
}
