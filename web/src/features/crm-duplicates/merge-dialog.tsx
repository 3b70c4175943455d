/** Two contacts side by side: whose value stays, field by field. Mounted only while open. */
import { useState } from 'react'
import { toast } from 'sonner'

import { RadioCard } from '@/components/radio-card'
import { Button } from '@/components/ui/button'
import {
  Dialog,
  DialogContent,
  DialogDescription,
  DialogFooter,
  DialogHeader,
  DialogTitle,
} from '@/components/ui/dialog'
import { Spinner } from '@/components/ui/spinner'
import { type Two, useMergeContacts } from '@/data/duplicates'
import { type Difference, differences, initialChoices } from '@/features/crm-duplicates/fields'
import { useTakeApart } from '@/features/crm-duplicates/use-take-apart'

const UNDO_MS = 10_000

export function MergeDialog({ pair, onClose }: { pair: Two; onClose: () => void }) {
  const merge = useMergeContacts()
  const takeApart = useTakeApart()
  const [choices, setChoices] = useState(() => initialChoices(pair))
  const { first, second } = pair
  const different = differences(pair)

  function onMerge() {
    merge.mutate(
      { pair, choices },
      {
        onSuccess: (mergeId) => {
          toast.success('Contatti uniti', {
            description: `${first.name} e ${second.name}`,
            duration: UNDO_MS,
            action: { label: 'Annulla unione', onClick: () => takeApart.run([mergeId]) },
          })
          onClose()
        },
        onError: () => toast.error('Non siamo riusciti a unire i contatti: sono rimasti com’erano. Riprova.'),
      },
    )
  }

  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent className="sm:max-w-2xl">
        <DialogHeader>
          <DialogTitle>Unisci {first.name}</DialogTitle>
          <DialogDescription>
            {different.length > 0 ? 'Dove i due contatti dicono cose diverse, scegli tu. ' : ''}
            Email, telefoni, tag, note e storia si sommano. Hai 30 giorni per annullare.
          </DialogDescription>
        </DialogHeader>
        <div className="grid gap-4">
          {different.map((difference) => (
            <Choice
              key={difference.column}
              difference={difference}
              isFirst={choices[difference.column] !== 'loser'}
              onChoose={(side) => setChoices({ ...choices, [difference.column]: side })}
            />
          ))}
        </div>
        <DialogFooter>
          <Button variant="outline" onClick={onClose}>
            Lascia separati
          </Button>
          <Button disabled={merge.isPending} onClick={onMerge}>
            {merge.isPending && <Spinner aria-hidden />}
            Unisci
          </Button>
        </DialogFooter>
      </DialogContent>
    </Dialog>
  )
}

type ChoiceProps = { difference: Difference; isFirst: boolean; onChoose: (side: 'winner' | 'loser') => void }

function Choice({ difference, isFirst, onChoose }: ChoiceProps) {
  const { column, label, first, second } = difference
  const sides = [
    { side: 'winner', text: first, isChosen: isFirst },
    { side: 'loser', text: second, isChosen: !isFirst },
  ] as const
  return (
    <fieldset className="grid grid-cols-2 gap-2">
      <legend className="mb-1.5 text-sm font-medium">{label}</legend>
      {sides.map(({ side, text, isChosen }) => (
        <RadioCard key={side} isLong name={column} checked={isChosen} onChange={() => onChoose(side)}>
          <span className="line-clamp-4 min-w-0 break-words">{text}</span>
        </RadioCard>
      ))}
    </fieldset>
  )
}
