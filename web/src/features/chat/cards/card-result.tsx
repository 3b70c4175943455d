/** What came of a proposal, with the way to what was made and the way back. */
import { Link } from 'react-router'

import { Button } from '@/components/ui/button'
import { Spinner } from '@/components/ui/spinner'
import type { ToolCall } from '@/data/tool-calls'
import { DraftCard } from '@/features/chat/cards/draft-card'
import { canUndo, type Stage } from '@/features/chat/cards/state'
import { useDecision } from '@/features/chat/cards/use-decision'
import { refKinds } from '@/features/chat/citations/kinds'
import { recordPath } from '@/features/chat/citations/record-path'

type Props = { userId: string; call: ToolCall; stage: Stage; now: number }

const sentences: Record<Exclude<Stage, 'open'>, string> = {
  done: 'Fatto.',
  refused: 'Non ho fatto niente.',
  failed: 'Non è riuscita, e niente è cambiato. Chiedimelo di nuovo.',
  expired: 'È passato troppo tempo: niente è stato fatto. Se serve ancora, chiedimelo di nuovo.',
  undone: 'Tutto è tornato com’era.',
}

export function CardResult({ userId, call, stage, now }: Props) {
  const { send, isPending } = useDecision(userId, call)
  if (stage === 'open') return null
  const { ref, text } = call.result ?? {}
  const to = stage === 'done' && ref ? recordPath(ref) : null
  const isDraft = stage === 'done' && ref?.kind === 'draft'

  return (
    <>
      <p role="status" className="break-words">
        {stage === 'done' || stage === 'failed' ? (text ?? sentences[stage]) : sentences[stage]}
      </p>
      {isDraft && <DraftCard userId={userId} draftId={ref.id} />}
      <div className="flex flex-wrap items-center gap-2 empty:hidden">
        {to && ref && (
          <Button size="sm" variant="outline" asChild>
            <Link to={to} title={ref.label}>
              {refKinds[ref.kind].open}
            </Link>
          </Button>
        )}
        {canUndo(call, now) && (
          <Button size="sm" variant="ghost" disabled={isPending} onClick={() => void send({ decision: 'undo' })}>
            {isPending && <Spinner aria-hidden />}
            Annulla
          </Button>
        )}
      </div>
    </>
  )
}
