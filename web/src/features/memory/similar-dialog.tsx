import { Button } from '@/components/ui/button'
import {
  Dialog,
  DialogContent,
  DialogDescription,
  DialogFooter,
  DialogHeader,
  DialogTitle,
} from '@/components/ui/dialog'
import type { Memory } from '@/data/memories'

type Props = {
  known: Memory
  text: string
  isBusy: boolean
  onReplace: () => void
  onKeepBoth: () => void
  onClose: () => void
}

/** The old fact and the new one side by side. */
export function SimilarDialog({ known, text, isBusy, onReplace, onKeepBoth, onClose }: Props) {
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent>
        <DialogHeader>
          <DialogTitle>Lo sapevo già?</DialogTitle>
          <DialogDescription>C’è un ricordo quasi uguale: scegli che cosa vale da ora.</DialogDescription>
        </DialogHeader>
        <dl className="grid gap-3 sm:grid-cols-2">
          <Fact title="Ricordo di prima" text={known.body} />
          <Fact title="Nuovo" text={text} />
        </dl>
        <DialogFooter>
          <Button variant="outline" disabled={isBusy} onClick={onKeepBoth}>
            Tieni entrambi
          </Button>
          <Button disabled={isBusy} onClick={onReplace}>
            Sostituisci
          </Button>
        </DialogFooter>
      </DialogContent>
    </Dialog>
  )
}

function Fact({ title, text }: { title: string; text: string }) {
  return (
    <div className="grid content-start gap-1 rounded-md border bg-muted p-3">
      <dt className="text-xs font-medium text-muted-foreground">{title}</dt>
      <dd className="text-sm break-words">{text}</dd>
    </div>
  )
}
