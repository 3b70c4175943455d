import { useTurn } from '@/data/chat-stream'
import { quoteText } from '@/strings/chat'
import { credits } from '@/strings/credits'

type Props = { runningId: string | null; quote: number; balance: number | undefined; isKnown: boolean }

/** What the next answer costs at most; while one is being given, what it may cost. */
export function Meter({ runningId, quote, balance, isKnown }: Props) {
  const turn = useTurn(runningId)
  if (!isKnown) return null
  const text = turn
    ? turn.mode === 'locale'
      ? 'in corso · 0 crediti'
      : `in corso · max ${credits(turn.quote ?? 0)}`
    : quoteText(quote, balance)
  return <p className="tabular">{text}</p>
}
