/** Links, dismisses, and takes both back. */
import { useState } from 'react'
import { toast } from 'sonner'

import { type Party, useDismissParty, useLinkParties, useUnlinkParties } from '@/data/parties'
import { asked, type Ready } from '@/features/crm-linking/choices'

const UNDO_MS = 15_000
const failed = () => toast.error('Non siamo riusciti a salvare: riprova')

function linkedText(made: number, papers: number): string {
  const linked = papers === 1 ? '1 documento collegato' : `${papers} documenti collegati`
  if (made === 0) return linked
  return `${linked}, ${made === 1 ? '1 contatto creato' : `${made} contatti creati`}`
}

export function useLinking(userId: string) {
  const [progress, setProgress] = useState<{ done: number; of: number } | null>(null)
  const link = useLinkParties(userId, (done) => setProgress((now) => now && { ...now, done }))
  const unlink = useUnlinkParties(userId)
  const dismissal = useDismissParty(userId)

  async function linkAll(ready: readonly Ready[]) {
    setProgress({ done: 0, of: ready.length })
    // A lost connection rejects; what the database refuses is answered.
    const { done, failure } = await link
      .mutateAsync(ready.map(asked))
      .catch((error: unknown) => ({ done: [], failure: error }))
    setProgress(null)
    if (failure) failed()
    if (done.length === 0) return
    const papers = new Set(done.flatMap(({ document_ids: ids }) => ids)).size
    toast.success(linkedText(done.filter(({ is_new: isNew }) => isNew).length, papers), {
      duration: UNDO_MS,
      action: { label: 'Annulla', onClick: () => unlink.mutate(done, { onError: failed }) },
    })
  }

  async function dismiss({ party_key: partyKey, name }: Party) {
    try {
      await dismissal.mutateAsync({ partyKey, isDismissed: true })
    } catch {
      failed()
      return
    }
    toast('Non te lo proporremo più', {
      description: name,
      duration: UNDO_MS,
      action: {
        label: 'Annulla',
        onClick: () => dismissal.mutate({ partyKey, isDismissed: false }, { onError: failed }),
      },
    })
  }

  return { link: linkAll, dismiss, isBusy: link.isPending || unlink.isPending || dismissal.isPending, progress }
}
