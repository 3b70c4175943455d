import { toast } from 'sonner'

import { type MailThread, useFinishThread } from '@/data/inbox'

/** Answers what puts a thread among those that are done, or back; the former can be taken back for a while. */
export function useFinish(userId: string) {
  const finish = useFinishThread(userId)

  async function change({ id, is_done: isDone }: MailThread, onDone: () => void) {
    try {
      await finish.mutateAsync({ id, isDone: !isDone })
      if (isDone) return
      onDone()
      toast('Conversazione gestita', {
        action: { label: 'Annulla', onClick: () => finish.mutate({ id, isDone: false }) },
      })
    } catch {
      toast.error('Non siamo riusciti a salvare: riprova')
    }
  }

  return { change, isPending: finish.isPending }
}
