import { ChevronDownIcon } from 'lucide-react'

import { Button } from '@/components/ui/button'
import {
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuRadioGroup,
  DropdownMenuRadioItem,
  DropdownMenuTrigger,
} from '@/components/ui/dropdown-menu'
import type { AgentChoice } from '@/data/chat'
import { AgentFace } from '@/features/chat/agent-face'
import { agentNames, agents, agentTasks } from '@/strings/chat'

type Props = { agent: AgentChoice; onChange: (agent: AgentChoice) => void }

/** Who answers. */
export function AgentMenu({ agent, onChange }: Props) {
  return (
    <DropdownMenu>
      <DropdownMenuTrigger asChild>
        <Button variant="ghost" size="sm" className="px-2" aria-label={`Agente: ${agentNames[agent]}`}>
          <AgentFace agent={agent} className="size-6" />
          <span className="max-sm:sr-only">{agentNames[agent]}</span>
          <ChevronDownIcon aria-hidden className="size-4 text-muted-foreground max-sm:hidden" />
        </Button>
      </DropdownMenuTrigger>
      <DropdownMenuContent align="start" side="top" className="max-h-[70dvh] overflow-y-auto">
        <DropdownMenuRadioGroup value={agent} onValueChange={(value) => onChange(value as AgentChoice)}>
          {(['automatico', ...agents] as const).map((id) => (
            <DropdownMenuRadioItem key={id} value={id}>
              <AgentFace agent={id} />
              <span className="grid">
                <span className="font-medium">{agentNames[id]}</span>
                <span className="text-xs text-muted-foreground">{agentTasks[id]}</span>
              </span>
            </DropdownMenuRadioItem>
          ))}
        </DropdownMenuRadioGroup>
      </DropdownMenuContent>
    </DropdownMenu>
  )
}
