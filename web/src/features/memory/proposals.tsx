/** Facts that Socio found and nobody has confirmed yet; one that contradicts what is known stands beside it. */
import { toast } from 'sonner'

import { Button } from '@/components/ui/button'
import { contradicted, type Memory, useForget, useKeepMemory } from '@/data/memories'
import { EditableFact } from '@/features/memory/editable-fact'
import { Source } from '@/features/memory/source'
import { tellRefusal } from '@/features/memory/tell-refusal'

type Props = { userId: string; memories: Memory[] }

export function Proposals({ userId, memories }: Props) {
  const proposals = memories.filter(({ state }) => state === 'proposta')
  if (proposals.length === 0) return null
  return (
    <section aria-labelledby="da-confermare" className="grid gap-2">
      <h2 id="da-confermare" className="font-semibold">
        Da confermare ({proposals.length})
      </h2>
      <ul className="divide-y rounded-md border border-primary bg-card">
        {proposals.map((one) => (
          <Proposal key={one.id} userId={userId} proposal={one} known={contradicted(one, memories)} />
        ))}
      </ul>
    </section>
  )
}

function Proposal({ userId, proposal, known }: { userId: string; proposal: Memory; known: Memory | undefined }) {
  const keep = useKeepMemory(userId)
  const forget = useForget(userId)

  const onKeep = (body?: string) =>
    keep.mutateAsync(body ? { id: proposal.id, body } : { id: proposal.id }).catch(tellRefusal)

  return (
    <li className="grid gap-2 px-4 py-3">
      <EditableFact text={proposal.body} onSave={onKeep} saveLabel="Tieni così">
        <Button size="sm" disabled={keep.isPending} onClick={() => void onKeep()}>
          Tieni
        </Button>
        <Button
          size="sm"
          variant="outline"
          disabled={forget.isPending}
          onClick={() =>
            forget.mutate(
              { ids: [proposal.id] },
              { onError: () => toast.error('Non siamo riusciti a scartarlo: riprova') },
            )
          }
        >
          Scarta
        </Button>
      </EditableFact>
      <Source memory={proposal} />
      {known && (
        <p className="rounded-md bg-muted px-3 py-2 text-sm">
          Finora: «{known.body}». Se tieni il nuovo, questo resta nello storico.
        </p>
      )}
    </li>
  )
}
