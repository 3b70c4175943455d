/** An answer while it is being given. Only this part of the thread changes with each word. */
import { Spinner } from '@/components/ui/spinner'
import type { Message } from '@/data/chat'
import { useTurn } from '@/data/chat-stream'
import { ToolCards } from '@/features/chat/cards/tool-cards'
import { AgentLabel } from '@/features/chat/thread/agent-label'
import { AnswerText } from '@/features/chat/thread/answer-text'
import { Views } from '@/features/chat/thread/views'

export function LiveAnswer({ userId, message }: { userId: string; message: Message }) {
  const turn = useTurn(message.id)
  const content = turn?.content ?? message.content
  const step = turn?.steps.at(-1)
  return (
    <div className="grid gap-2">
      <AgentLabel agent={turn?.agent ?? message.agent} mode={turn?.mode ?? message.mode} />
      {content === '' && (
        <p className="flex items-center gap-2 text-sm text-muted-foreground">
          <Spinner aria-hidden className="size-4" />
          {step?.text ?? 'Ci penso…'}
        </p>
      )}
      {content !== '' && <AnswerText content={content} refs={turn?.refs ?? message.refs} />}
      {content !== '' && turn && turn.steps.length > 0 && (
        <p className="text-xs text-muted-foreground">{turn.steps.map(({ text }) => text).join(' ')}</p>
      )}
      {turn && <Views views={turn.views} />}
      <ToolCards userId={userId} conversationId={message.conversation_id} messageId={message.id} />
      {turn?.state === 'lost' && (
        <p role="status" className="text-sm text-muted-foreground">
          Connessione persa: la risposta va avanti, la riprendo da qui.
        </p>
      )}
      {turn?.state === 'stopping' && (
        <p role="status" className="text-sm text-muted-foreground">
          Sto fermando la risposta…
        </p>
      )}
    </div>
  )
}
