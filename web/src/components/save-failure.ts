/** Why a change was not saved. */
import { toast } from 'sonner'

import { isAway } from '@/data/task-changes'

/** Says why nothing was changed; the screen shows the former state again by itself. */
export function tellFailure(error: unknown): void {
  toast.error(
    isAway(error)
      ? 'Non c’è collegamento: la modifica non è stata salvata. Riprova tra poco.'
      : 'Non siamo riusciti a salvare la modifica: riprova.',
  )
}
