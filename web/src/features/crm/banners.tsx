/** What waits above the list: people to hear again, and pairs that may be one. */
import { useQuery } from '@tanstack/react-query'
import { BellRingIcon, CopyIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'

import { Button } from '@/components/ui/button'
import { type ContactWish, dueContactsQuery } from '@/data/contacts'
import { pairsQuery } from '@/data/duplicates'
import { withCondition } from '@/features/crm/filter-menu'
import { paths } from '@/paths'

type DueProps = { userId: string; wish: ContactWish; onChange: (change: Partial<ContactWish>) => void }

export function DueBanner({ userId, wish, onChange }: DueProps) {
  const { data: count = 0 } = useQuery(dueContactsQuery(userId, wish.type))
  const isShown = wish.filter.all.some(({ field }) => field === 'due')
  if (count === 0 && !isShown) return null
  const [one, many] = wish.type === 'azienda' ? ['azienda', 'aziende'] : ['persona', 'persone']
  return (
    <Banner
      icon={<BellRingIcon aria-hidden className="size-4 text-terracotta" />}
      text={`${count} ${count === 1 ? one : many} da risentire`}
    >
      <Button
        variant="ghost"
        size="sm"
        aria-pressed={isShown}
        onClick={() =>
          onChange({
            filter: withCondition(wish.filter, 'due', isShown ? null : { field: 'due' }),
            order: isShown ? 'name' : 'next_touch_at',
          })
        }
      >
        {isShown ? 'Mostra tutti' : 'Vedi chi'}
      </Button>
    </Banner>
  )
}

/** Comparing everybody with everybody is work: not at every visit. */
const FRESH_MS = 5 * 60_000

export function DuplicatesBanner({ userId }: { userId: string }) {
  const { data: pairs = [] } = useQuery({ ...pairsQuery(userId), staleTime: FRESH_MS })
  if (pairs.length === 0) return null
  return (
    <Banner
      icon={<CopyIcon aria-hidden className="size-4 text-muted-foreground" />}
      text={pairs.length === 1 ? '1 possibile doppione' : `${pairs.length} possibili doppioni`}
    >
      <Button variant="ghost" size="sm" asChild>
        <Link to={paths.crmDuplicates}>Controlla</Link>
      </Button>
    </Banner>
  )
}

function Banner({ icon, text, children }: { icon: ReactNode; text: string; children: ReactNode }) {
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-md border bg-card px-4 py-2">
      {icon}
      <p className="mr-auto text-sm font-medium tabular">{text}</p>
      {children}
    </div>
  )
}
