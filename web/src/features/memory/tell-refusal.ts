import { toast } from 'sonner'

import { refusalOf } from '@/data/memories'
import { refusalText } from '@/strings/memory'

/** Says why a fact was not written down. */
export function tellRefusal(error: unknown): void {
  const refusal = refusalOf(error)
  toast.error(refusal.reason === 'similar' ? 'Lo ricordo già.' : refusalText(refusal))
}
