import { Spinner } from '@/components/ui/spinner'
import type { View } from '@/data/chat'
import { AgentFace } from '@/features/chat/agent-face'
import { AnswerText } from '@/features/chat/thread/answer-text'
import { agentNames } from '@/strings/chat'

/** What each agent of the council said, folded. */
export function Views({ views }: { views: readonly View[] }) {
  if (views.length === 0) return null
  return (
    <div className="grid divide-y overflow-hidden rounded-md border bg-card">
      {views.map(({ agent, content, status }) => (
        <details key={agent} className="group">
          <summary className="flex min-h-11 cursor-pointer items-center gap-2 px-3 text-sm font-medium hover:bg-muted">
            <AgentFace agent={agent} className="size-6" />
            Il parere di {agentNames[agent]}
            {status === 'streaming' && <Spinner aria-label="Sta scrivendo" className="size-4" />}
            {status === 'error' && <span className="text-xs text-error">non è arrivato</span>}
          </summary>
          <div className="grid gap-2 px-3 pb-3 text-sm">
            {content === '' ? (
              <p className="text-muted-foreground">Ancora niente.</p>
            ) : (
              <AnswerText content={content} refs={NONE} />
            )}
          </div>
        </details>
      ))}
    </div>
  )
}

const NONE: never[] = []
