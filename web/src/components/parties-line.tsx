/** One line where papers or contacts are listed: how many counterparties wait to be linked. Nothing when there are none. */
import { useQuery } from '@tanstack/react-query'
import { LinkIcon } from 'lucide-react'
import { Link } from 'react-router'

import { Button } from '@/components/ui/button'
import { partiesQuery } from '@/data/parties'
import { paths } from '@/paths'
import { formatCount } from '@/strings/numbers'

/** Comparing all papers with all contacts is work: not at every visit. */
const FRESH_MS = 60_000

export function PartiesLine({ userId }: { userId: string }) {
  const { data: parties = [] } = useQuery({ ...partiesQuery(userId), staleTime: FRESH_MS })
  if (parties.length === 0) return null
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-md border bg-card px-4 py-2">
      <LinkIcon aria-hidden className="size-4 text-muted-foreground" />
      <p className="mr-auto text-sm font-medium tabular">
        {parties.length === 1
          ? '1 controparte dei tuoi documenti non è tra i contatti'
          : `${formatCount(parties.length)} controparti dei tuoi documenti non sono tra i contatti`}
      </p>
      <Button variant="ghost" size="sm" asChild>
        <Link to={paths.crmLinking}>Collega</Link>
      </Button>
    </div>
  )
}
