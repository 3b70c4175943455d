/** An answer that has ended: who gave it, its text, what it proposes, what it cost, and what one can do with it. */
import { RotateCwIcon, ThumbsDownIcon, ThumbsUpIcon } from 'lucide-react'
import { memo, useState } from 'react'

import { Button } from '@/components/ui/button'
import type { Message, Opinion, Score, Suggestion } from '@/data/chat'
import { ToolCards } from '@/features/chat/cards/tool-cards'
import { SourcesButton } from '@/features/chat/citations/sources'
import { MemoryProposals } from '@/features/chat/memories/memory-proposals'
import { Why } from '@/features/chat/memories/why'
import { AgentLabel } from '@/features/chat/thread/agent-label'
import { AnswerText } from '@/features/chat/thread/answer-text'
import { BranchSwitch } from '@/features/chat/thread/branch-switch'
import { CopyTool } from '@/features/chat/thread/copy-tool'
import { ScoreReason } from '@/features/chat/thread/score-reason'
import { Suggestions } from '@/features/chat/thread/suggestions'
import { ToolButton } from '@/features/chat/thread/tool-button'
import { Views } from '@/features/chat/thread/views'
import { costText, failureText, isOfModel } from '@/strings/chat'

type Props = {
  userId: string
  message: Message
  versions: readonly string[]
  score: Score | undefined
  isBusy: boolean
  /** Of the answer that all others lie above. */
  isLast: boolean
  onRegenerate: (message: Message, mode?: 'locale') => void
  onScore: (opinion: Opinion) => void
  onSuggestion: (suggestion: Suggestion) => void
  onChoose: (id: string) => void
}

export const Answer = memo(function Answer(props: Props) {
  const { userId, message, versions, score, isBusy, isLast, onRegenerate, onScore, onSuggestion, onChoose } = props
  const { id, status, content, refs } = message
  // Asked once, right after the press: who comes back later is not asked again.
  const [isAsked, setAsked] = useState(false)
  function press(value: Score) {
    const next = score === value ? null : value
    setAsked(next === -1)
    onScore({ messageId: id, score: next })
  }
  return (
    <div className="grid gap-2">
      <AgentLabel agent={message.agent} mode={message.mode} />
      {content !== '' && <AnswerText content={content} refs={refs} unverified={message.unverified} />}
      {status === 'stopped' && <p className="text-sm text-muted-foreground">Fermata da te.</p>}
      {status === 'error' && (
        <Failure code={message.error_code} isBusy={isBusy} onRetry={(mode) => onRegenerate(message, mode)} />
      )}
      <Views views={message.views} />
      <ToolCards userId={userId} conversationId={message.conversation_id} messageId={id} />
      <MemoryProposals userId={userId} messageIds={message.parent_id === null ? [id] : [message.parent_id, id]} />
      <div className="-ml-2.5 flex flex-wrap items-center gap-x-1">
        <BranchSwitch versions={versions} current={id} onChoose={onChoose} />
        {content !== '' && <CopyTool text={content.replaceAll(/\[\^\d+\]/g, '')} />}
        <ToolButton icon={RotateCwIcon} label="Rigenera" disabled={isBusy} onClick={() => onRegenerate(message)} />
        <ToolButton icon={ThumbsUpIcon} label="Utile" isPressed={score === 1} onClick={() => press(1)} />
        <ToolButton icon={ThumbsDownIcon} label="Non utile" isPressed={score === -1} onClick={() => press(-1)} />
        <SourcesButton refs={refs} />
        <Why userId={userId} conversationId={message.conversation_id} messageId={id} />
        <p className="ml-auto pl-2 text-xs text-muted-foreground tabular">
          {costText(message.cost ?? 0, message.quote, message.mode === 'locale')}
        </p>
      </div>
      {isAsked && score === -1 && (
        <ScoreReason
          onSend={(reason) => onScore({ messageId: id, score: -1, reason })}
          onClose={() => setAsked(false)}
        />
      )}
      {isLast && !isBusy && <Suggestions suggestions={message.suggestions} onChoose={onSuggestion} />}
    </div>
  )
})

type FailureProps = { code: string | null; isBusy: boolean; onRetry: (mode?: 'locale') => void }

function Failure({ code, isBusy, onRetry }: FailureProps) {
  return (
    <div
      role="alert"
      className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-md bg-error-tint px-4 py-3 text-sm"
    >
      <p className="min-w-0 flex-1 basis-52">{failureText(code)} Non ti è costata crediti.</p>
      <div className="flex flex-wrap gap-2">
        <Button variant="outline" size="sm" disabled={isBusy} onClick={() => onRetry()}>
          Riprova
        </Button>
        {isOfModel(code) && (
          <Button variant="outline" size="sm" disabled={isBusy} onClick={() => onRetry('locale')}>
            Rispondi in modalità locale
          </Button>
        )}
      </div>
    </div>
  )
}
