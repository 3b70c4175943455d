import { toast } from 'sonner'

import { useUndoMerges } from '@/data/duplicates'
import { DataError } from '@/lib/server-errors'

/** Undoes merges and says how it went. */
export function useTakeApart() {
  const undo = useUndoMerges()
  // Awaited: it is pressed in a toast, when what showed the toast is long gone.
  async function takeApart(mergeIds: readonly string[]) {
    const { done, failure } = await undo.mutateAsync(mergeIds)
    if (failure) toast.error(refusal(failure, mergeIds.length))
    else if (done.length === 1) toast.success('Unione annullata: i contatti sono di nuovo due')
    else toast.success(`${done.length} unioni annullate: i contatti sono di nuovo separati`)
  }
  const run = (mergeIds: readonly string[]) => void takeApart(mergeIds)
  return { run, isPending: undo.isPending }
}

function refusal(failure: unknown, count: number): string {
  if (count > 1) return 'Non siamo riusciti ad annullare tutte le unioni: quelle rimaste sono in fondo alla pagina.'
  return failure instanceof DataError && failure.code === 'SC023'
    ? 'Questa unione non si può più annullare.'
    : 'Non siamo riusciti ad annullare l’unione: riprova.'
}
