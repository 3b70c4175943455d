/** Several pairs merged at once: what is chosen, what will become of it, and the way back. */
import { CombineIcon, XIcon } from 'lucide-react'
import { useState } from 'react'
import { toast } from 'sonner'

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
import { type Pair, type Two, useMergeMany } from '@/data/duplicates'
import { differences, mergesOf } from '@/features/crm-duplicates/fields'
import { useTakeApart } from '@/features/crm-duplicates/use-take-apart'

const UNDO_MS = 15_000
const failed = (count: number) =>
  count === 1
    ? 'Un’unione non è riuscita: quei contatti sono com’erano.'
    : `${count} unioni non sono riuscite: quei contatti sono com’erano.`
const coupled = (count: number) => (count === 1 ? '1 coppia scelta' : `${count} coppie scelte`)

type Props = { pairs: Pair[]; /** Nothing is chosen any more. */ onClear: () => void }

/** Stands below the list while something is chosen. */
export function BulkMerge({ pairs, onClear }: Props) {
  const [isAsking, setAsking] = useState(false)
  if (pairs.length === 0) return null
  return (
    <div
      role="region"
      aria-label="Coppie scelte"
      className="sticky bottom-[calc(5.5rem+env(safe-area-inset-bottom))] z-20 mx-auto flex max-w-full items-center gap-2 rounded-xl border bg-popover px-3 py-1.5 shadow-float"
    >
      <p role="status" className="px-1 text-sm font-medium tabular">
        {coupled(pairs.length)}
      </p>
      <Button size="sm" onClick={() => setAsking(true)}>
        <CombineIcon aria-hidden /> Unisci
      </Button>
      <Button variant="ghost" size="icon" aria-label="Togli la scelta" onClick={onClear}>
        <XIcon aria-hidden />
      </Button>
      {isAsking && <Summary merges={mergesOf(pairs)} onClose={() => setAsking(false)} onDone={onClear} />}
    </div>
  )
}

type SummaryProps = { merges: Two[]; onClose: () => void; onDone: () => void }

/** Who stays and who goes into whom, before anything happens. */
function Summary({ merges, onClose, onDone }: SummaryProps) {
  const many = useMergeMany()
  const takeApart = useTakeApart()

  async function onMerge() {
    // Awaited: the pairs may be told gone, and this with them, before the last answer is here.
    const { done, failure } = await many.mutateAsync(merges)
    onDone()
    if (failure) toast.error(failed(merges.length - done.length))
    if (done.length === 0) return
    toast.success(done.length === 1 ? 'Contatti uniti' : `${done.length} contatti uniti ad altri`, {
      duration: UNDO_MS,
      action: { label: done.length === 1 ? 'Annulla unione' : 'Annulla tutte', onClick: () => takeApart.run(done) },
    })
  }

  return (
    <Dialog open onOpenChange={(open) => !open && !many.isPending && onClose()}>
      <DialogContent className="sm:max-w-2xl">
        <DialogHeader>
          <DialogTitle>{merges.length === 1 ? 'Unire 2 contatti?' : `Fare ${merges.length} unioni?`}</DialogTitle>
          <DialogDescription>
            Resta il contatto più vecchio con i suoi dati; quelli che gli mancano li prende dall’altro. Email, telefoni,
            tag, note e storia si sommano. Hai 30 giorni per annullare.
          </DialogDescription>
        </DialogHeader>
        <ul aria-label="Unioni da fare" className="divide-y text-sm">
          {merges.map((two) => (
            <li key={two.second.id} className="grid gap-0.5 py-2.5">
              <span className="break-words">
                «{two.second.name}» entra in <span className="font-medium">«{two.first.name}»</span>
              </span>
              <Conflicts two={two} />
            </li>
          ))}
        </ul>
        <DialogFooter>
          <Button variant="outline" disabled={many.isPending} onClick={onClose}>
            Lascia separati
          </Button>
          <Button disabled={many.isPending} onClick={() => void onMerge()}>
            {many.isPending && <Spinner aria-hidden />}
            Unisci
          </Button>
        </DialogFooter>
      </DialogContent>
    </Dialog>
  )
}

/** What the one that goes says differently, and is left behind. */
function Conflicts({ two }: { two: Two }) {
  const different = differences(two)
  if (different.length === 0) return null
  return (
    <span className="break-words text-muted-foreground">
      Non restano: {different.map(({ label, second }) => `${label.toLowerCase()} ${second}`).join('; ')}
    </span>
  )
}
