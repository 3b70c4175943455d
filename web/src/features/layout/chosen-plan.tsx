import type { User } from '@supabase/supabase-js'
import { useEffect } from 'react'
import { toast } from 'sonner'

import { planWasTold } from '@/api/auth'
import { paidPlan, useCatalog } from '@/data/catalog'

/** Whom the choice was told in this tab: effects may run twice, and the note of the server may not arrive. */
const told = new Set<string>()

/** After the onboarding, says once what becomes of the plan with which somebody registered. */
export function ChosenPlan({ user }: { user: User }) {
  const { chosen_plan: id, is_plan_told: isTold } = user.user_metadata
  const name = paidPlan(id, useCatalog())?.name
  useEffect(() => {
    if (!name || isTold || told.has(user.id)) return
    told.add(user.id)
    toast.info('Prossimamente: ti avvisiamo', {
      description: `Hai scelto ${name}. Gli abbonamenti sono in arrivo: appena aprono ti scriviamo. Intanto hai il piano Free.`,
      duration: Infinity,
      closeButton: true,
    })
    planWasTold().catch((error: unknown) => console.warn('The note about the plan was not stored', error))
  }, [user.id, name, isTold])
  return null
}
