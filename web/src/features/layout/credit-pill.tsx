/** The balance in the top bar; it opens the store. */
import { useQuery } from '@tanstack/react-query'
import { CoinsIcon } from 'lucide-react'
import { Link } from 'react-router'

import { Skeleton } from '@/components/ui/skeleton'
import { balanceQuery } from '@/data/wallet'
import { paths } from '@/paths'
import { credits } from '@/strings/credits'
import { formatCredits } from '@/strings/numbers'

export function CreditPill({ userId }: { userId: string }) {
  const { data: balance, isPending } = useQuery(balanceQuery(userId))
  return (
    <Link
      to={paths.store}
      data-tour="credits"
      aria-label={balance === undefined ? 'Crediti' : `${credits(balance)}: apri lo store`}
      title="Crediti"
      className="group flex h-11 items-center rounded-full"
    >
      <span className="flex h-8 items-center gap-1.5 rounded-full border bg-card px-3 text-sm font-semibold tabular transition-colors group-hover:bg-muted">
        <CoinsIcon aria-hidden className="size-4 text-primary" />
        {isPending ? <Skeleton className="h-4 w-7" /> : balance === undefined ? '–' : formatCredits(balance)}
      </span>
    </Link>
  )
}
