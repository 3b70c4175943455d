import { Badge } from '@/components/ui/badge'
import type { AgentChoice, ChatMode } from '@/data/chat'
import { AgentFace } from '@/features/chat/agent-face'
import { agentNames } from '@/strings/chat'

type Props = { agent: AgentChoice | null; mode: ChatMode | null }

/** Who answers, in their colour; and whether without a model. */
export function AgentLabel({ agent, mode }: Props) {
  const id = agent ?? 'automatico'
  return (
    <p className="flex items-center gap-2 text-sm font-semibold">
      <AgentFace agent={id} />
      {id === 'automatico' ? 'Socio' : agentNames[id]}
      {mode === 'locale' && <Badge variant="outline">Modalità locale</Badge>}
    </p>
  )
}
