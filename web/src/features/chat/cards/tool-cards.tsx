import { useQuery } from '@tanstack/react-query'

import { toolCallsQuery } from '@/data/tool-calls'
import { ToolCard } from '@/features/chat/cards/tool-card'

type Props = { userId: string; conversationId: string; messageId: string }

/** The actions that an answer proposes, in its order. */
export function ToolCards({ userId, conversationId, messageId }: Props) {
  const { data = [] } = useQuery(toolCallsQuery(userId, conversationId))
  const calls = data.filter(({ message_id: id }) => id === messageId)
  if (calls.length === 0) return null
  return (
    <ul aria-label="Azioni proposte" className="grid grid-cols-1 gap-3">
      {calls.map((call) => (
        <li key={call.id} className="min-w-0">
          <ToolCard userId={userId} call={call} />
        </li>
      ))}
    </ul>
  )
}
