/** That a conversation may go on in this one: its owner joins them, or says that they are two. */
import { useQuery } from '@tanstack/react-query'
import { toast } from 'sonner'

import { Button } from '@/components/ui/button'
import { oneMailThreadQuery, useDecideThread } from '@/data/inbox'
import { dayAndMonth } from '@/strings/dates'

type Props = { userId: string; threadId: string; suggestedId: string; onJoined: (threadId: string) => void }

export function SuggestedThread({ userId, threadId, suggestedId, onJoined }: Props) {
  const { data: other } = useQuery(oneMailThreadQuery(userId, suggestedId))
  const decide = useDecideThread(userId)
  if (!other) return null

  async function onDecide(isSame: boolean) {
    try {
      const stays = await decide.mutateAsync({ id: threadId, isSame })
      if (isSame) onJoined(stays)
    } catch {
      toast.error('Non siamo riusciti a salvare: riprova')
    }
  }

  return (
    <section aria-label="Stessa conversazione?" className="grid gap-2 rounded-lg border p-3 text-sm">
      <p className="break-words">
        Forse continua «{other.subject}» con {other.party_name ?? other.party ?? 'lo stesso mittente'}, ultimo messaggio
        del {dayAndMonth(other.last_at)}.
      </p>
      <div className="flex flex-wrap gap-2">
        <Button variant="outline" size="sm" disabled={decide.isPending} onClick={() => void onDecide(true)}>
          Sì, uniscile
        </Button>
        <Button variant="ghost" size="sm" disabled={decide.isPending} onClick={() => void onDecide(false)}>
          No, sono due
        </Button>
      </div>
    </section>
  )
}
