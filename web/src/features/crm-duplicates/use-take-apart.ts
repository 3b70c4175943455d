import { toast } from 'sonner'

import { useUndoMerge } from '@/data/duplicates'
import { DataError } from '@/data/postgrest'

/** Undoes a merge and says how it went. */
export function useTakeApart() {
  const undo = useUndoMerge()
  const run = (mergeId: string) =>
    undo.mutate(mergeId, {
      onSuccess: () => toast.success('Unione annullata: i contatti sono di nuovo due'),
      onError: (error) =>
        toast.error(
          error instanceof DataError && error.code === 'SC023'
            ? 'Questa unione non si può più annullare.'
            : 'Non siamo riusciti ad annullare l’unione: riprova.',
        ),
    })
  return { run, isPending: undo.isPending }
}
