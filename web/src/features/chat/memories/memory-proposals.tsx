import { useQuery } from '@tanstack/react-query'

import { contradicted, memoriesQuery } from '@/data/memories'
import { MemoryProposal } from '@/features/chat/memories/memory-proposal'

type Props = {
  userId: string
  /** The question and its answer. */
  messageIds: readonly string[]
}

/** What Socio believes to have learned in this turn; nothing counts before the person says so. */
export function MemoryProposals({ userId, messageIds }: Props) {
  const { data = [] } = useQuery(memoriesQuery(userId))
  const proposals = data.filter(
    ({ state, source_id: source }) => state === 'proposta' && source !== null && messageIds.includes(source),
  )
  if (proposals.length === 0) return null
  return (
    <ul aria-label="Ricordi da confermare" className="grid grid-cols-1 gap-2">
      {proposals.map((proposal) => (
        <li key={proposal.id}>
          <MemoryProposal userId={userId} proposal={proposal} known={contradicted(proposal, data)} />
        </li>
      ))}
    </ul>
  )
}
