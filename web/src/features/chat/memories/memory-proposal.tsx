/** «Ricordo: …»: a fact out of the person's own words, to be kept, put into other words, or thrown away. */
import { BrainIcon } from 'lucide-react'
import { useState } from 'react'
import { toast } from 'sonner'

import { FactForm } from '@/components/fact-form'
import { Button } from '@/components/ui/button'
import { type Memory, refusalOf, useForget, useKeepMemory } from '@/data/memories'
import { refusalText } from '@/strings/memory'

type Props = {
  userId: string
  proposal: Memory
  /** What holds so far on the same topic. */
  known: Memory | undefined
}

export function MemoryProposal({ userId, proposal, known }: Props) {
  const { id, body } = proposal
  const [draft, setDraft] = useState<string | null>(null)
  const keep = useKeepMemory(userId)
  const forget = useForget(userId)
  const isBusy = keep.isPending || forget.isPending

  function onKeep(text?: string) {
    keep.mutate(text ? { id, body: text } : { id }, {
      onError: (error) => {
        const refusal = refusalOf(error)
        toast.error(refusal.reason === 'similar' ? 'Lo ricordo già.' : refusalText(refusal))
      },
    })
  }

  function onForget() {
    forget.mutate({ ids: [id] }, { onError: () => toast.error('Non siamo riusciti a scartarlo: riprova') })
  }

  return (
    <div className="grid grid-cols-1 gap-2 rounded-md border border-dashed border-input px-3 py-2 text-sm">
      {draft === null ? (
        <>
          {known ? <Contradiction known={known} body={body} /> : <Fact body={body} />}
          <div className="flex flex-wrap gap-2">
            <Button size="sm" variant="secondary" disabled={isBusy} onClick={() => onKeep()}>
              {known ? 'Tieni il nuovo' : 'Tieni'}
            </Button>
            <Button size="sm" variant="outline" disabled={isBusy} onClick={() => setDraft(body)}>
              Modifica
            </Button>
            <Button size="sm" variant="outline" disabled={isBusy} onClick={onForget}>
              {known ? 'Tieni quello di prima' : 'No'}
            </Button>
          </div>
        </>
      ) : (
        <FactForm
          draft={draft}
          saveLabel="Tieni così"
          isBusy={isBusy}
          onChange={setDraft}
          onSave={() => onKeep(draft.trim())}
          onCancel={() => setDraft(null)}
        />
      )}
    </div>
  )
}

function Fact({ body }: { body: string }) {
  return (
    <p className="flex items-start gap-2 break-words">
      <BrainIcon aria-hidden className="mt-0.5 size-4 shrink-0 text-primary" />
      <span className="min-w-0">
        <span className="font-medium">Ricordo:</span> {body}
      </span>
    </p>
  )
}

/** The old fact and the new one side by side. */
function Contradiction({ known, body }: { known: Memory; body: string }) {
  return (
    <>
      <p className="font-medium">Finora sapevo altro. Che cosa vale da ora?</p>
      <dl className="grid gap-2 sm:grid-cols-2">
        {[
          ['Prima', known.body],
          ['Adesso', body],
        ].map(([title, text]) => (
          <div key={title} className="grid content-start gap-1 rounded-sm border bg-muted px-3 py-2">
            <dt className="text-xs font-medium text-muted-foreground">{title}</dt>
            <dd className="break-words">{text}</dd>
          </div>
        ))}
      </dl>
    </>
  )
}
