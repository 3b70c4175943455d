/** A chat in which nothing was asked yet: what can be asked, and who answers. */
import { useQuery } from '@tanstack/react-query'

import { Skeleton } from '@/components/ui/skeleton'
import type { AgentChoice } from '@/data/chat'
import { belongingsQuery } from '@/data/chat-start'
import { AgentFace } from '@/features/chat/agent-face'
import { examplesFor } from '@/features/chat/start/examples'
import { cn } from '@/lib/cn'
import { agentNames, agents, agentTasks } from '@/strings/chat'

type Props = {
  userId: string
  agent: AgentChoice
  onAgent: (agent: AgentChoice) => void
  onQuestion: (question: string) => void
}

export function Start({ userId, agent, onAgent, onQuestion }: Props) {
  return (
    <div className="min-h-0 flex-1 overflow-y-auto px-4 sm:px-6">
      <div className="mx-auto grid max-w-3xl gap-8 py-6 sm:py-10">
        <div className="grid gap-2">
          <p className="font-display text-3xl font-medium text-balance">Che cosa vuoi sapere?</p>
          <p className="max-w-prose text-pretty text-muted-foreground">
            Rispondo dai tuoi clienti, documenti, scadenze e conti, e cito da dove. Quello che c’è da fare lo preparo:
            decidi tu.
          </p>
        </div>
        <Examples userId={userId} onQuestion={onQuestion} />
        <fieldset className="grid gap-3">
          <legend className="mb-3 text-sm font-medium text-muted-foreground">Chi risponde</legend>
          <div className="grid gap-2 sm:grid-cols-2 xl:grid-cols-3">
            {agents.map((id) => (
              <button
                key={id}
                type="button"
                aria-pressed={id === agent}
                onClick={() => onAgent(id === agent ? 'automatico' : id)}
                className={cn(
                  'flex min-h-14 items-center gap-3 rounded-md border bg-card px-3 py-2 text-left transition-colors hover:bg-muted',
                  id === agent && 'border-primary outline-1 outline-primary',
                )}
              >
                <AgentFace agent={id} className="size-9" />
                <span className="grid min-w-0">
                  <span className="font-medium">{agentNames[id]}</span>
                  <span className="text-sm text-muted-foreground">{agentTasks[id]}</span>
                </span>
              </button>
            ))}
          </div>
          <p className="text-sm text-muted-foreground">Se non scegli, decide Socio domanda per domanda.</p>
        </fieldset>
      </div>
    </div>
  )
}

function Examples({ userId, onQuestion }: Pick<Props, 'userId' | 'onQuestion'>) {
  const { data, isPending } = useQuery(belongingsQuery(userId))
  if (isPending) return <Skeleton aria-busy className="h-24" />
  // Without an answer there are still the questions that anybody can ask.
  const none = { contact: null, hasTasks: false, hasDeals: false, hasInvoices: false, hasDocuments: false }
  return (
    <ul aria-label="Domande di esempio" className="grid gap-2 sm:grid-cols-2">
      {examplesFor(data ?? none).map((question) => (
        <li key={question}>
          <button
            type="button"
            onClick={() => onQuestion(question)}
            className="min-h-11 w-full rounded-md border bg-card px-4 py-2.5 text-left transition-colors hover:bg-muted"
          >
            {question}
          </button>
        </li>
      ))}
    </ul>
  )
}
