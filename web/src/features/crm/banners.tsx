/** What waits above the list: people to hear again, and pairs that may be one. */
import { useQuery } from '@tanstack/react-query'
import { BellRingIcon, CopyIcon, FlaskConicalIcon } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Link } from 'react-router'
import { toast } from 'sonner'

import { ConfirmDialog } from '@/components/confirm-dialog'
import { Button } from '@/components/ui/button'
import { type ContactWish, dueContactsQuery } from '@/data/contacts'
import { hasDemoDataQuery, useDemoData } from '@/data/demo-data'
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

/** The samples go as they came, in one click, and a second one: what hangs on them goes along. */
export function DemoBanner({ userId }: { userId: string }) {
  const { data: hasDemoData } = useQuery(hasDemoDataQuery(userId))
  const [isAsking, setAsking] = useState(false)
  const demo = useDemoData(() => toast.error('Non siamo riusciti a togliere gli esempi: riprova'))
  if (!hasDemoData) return null
  return (
    <Banner
      icon={<FlaskConicalIcon aria-hidden className="size-4 text-muted-foreground" />}
      text="Stai provando Socio con dati di esempio"
    >
      <Button variant="ghost" size="sm" onClick={() => setAsking(true)}>
        Togli gli esempi
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        title="Togliere gli esempi?"
        text="Spariscono contatti, trattative, progetti e attività di esempio, con le loro note e la loro storia. Resta quello che hai aggiunto tu, e restano gli esempi in cui hai scritto o a cui hai collegato qualcosa di tuo."
        confirm="Togli gli esempi"
        isBusy={demo.isPending}
        onConfirm={() => demo.mutate(false, { onSettled: () => setAsking(false) })}
        onClose={() => setAsking(false)}
      />
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
