/** /store (STORE-01): credits bought once, and the plans that renew. */
import { useSyncExternalStore } from 'react'
import { useLocation } from 'react-router'

import { Tabs } from '@/components/ui/tabs'
import { TopUp } from '@/features/store/top-up'
import { laterPart } from '@/lib/later-part'

// In the prerendered HTML like the rest; the tab in front of it has to be chosen first.
const plans = laterPart(
  import.meta.env.SSR && (await import('@/features/store/plan-list')).PlanList,
  async () => (await import('@/features/store/plan-list')).PlanList,
)

export default function StorePage() {
  return (
    <div className="column py-5 sm:py-8">
      <header className="mb-4 grid gap-1">
        <h1 className="font-display text-2xl font-medium sm:text-3xl">Ricarica i tuoi crediti</h1>
        <p className="max-w-2xl text-pretty text-muted-foreground">
          Paghi solo quello che usi: i crediti servono per le funzioni IA, tutto il resto di Socio non ne consuma.
        </p>
      </header>
      <CancelledNotice />
      <Tabs
        label="Come vuoi ricaricare?"
        tabs={[
          { title: 'Crediti (Top-Up)', panel: <TopUp /> },
          { title: 'Rinnovo Automatico', panel: plans },
        ]}
      />
    </div>
  )
}

const never = () => () => undefined

/** Back from the checkout without having paid (its cancel address). */
function CancelledNotice() {
  const { search } = useLocation()
  // The prerendered page knows no query: the notice comes after hydration.
  const isBrowser = useSyncExternalStore(
    never,
    () => true,
    () => false,
  )
  if (!isBrowser || !new URLSearchParams(search).has('annullato')) return null
  return (
    <p role="status" className="mb-6 rounded-md bg-secondary p-4 text-sm text-secondary-foreground">
      Pagamento annullato: non ti è stato addebitato nulla. Puoi riprovare quando vuoi.
    </p>
  )
}
