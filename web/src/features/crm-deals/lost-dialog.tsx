import { useId, useState } from 'react'

import { Button } from '@/components/ui/button'
import {
  Dialog,
  DialogContent,
  DialogDescription,
  DialogFooter,
  DialogHeader,
  DialogTitle,
} from '@/components/ui/dialog'
import { Input } from '@/components/ui/input'
import { Label } from '@/components/ui/label'

const reasons = ['Prezzo', 'Tempi', 'Ha scelto un altro', 'Non risponde più', 'Progetto annullato']

type Props = { title: string; onClose: () => void; onLost: (reason: string | null) => void }

/** Why a deal was lost, in one press or a few words. Mounted only while open. */
export function LostDialog({ title, onClose, onLost }: Props) {
  const [reason, setReason] = useState('')
  const id = useId()
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent>
        <DialogHeader>
          <DialogTitle>Perché è andata persa?</DialogTitle>
          <DialogDescription>«{title}»: il motivo ti dice, tra qualche mese, dove perdi più lavoro.</DialogDescription>
        </DialogHeader>
        <form
          className="grid gap-4"
          onSubmit={(event) => {
            event.preventDefault()
            onLost(reason.trim() || null)
          }}
        >
          <div className="flex flex-wrap gap-2">
            {reasons.map((one) => (
              <Button
                key={one}
                type="button"
                variant="outline"
                aria-pressed={reason === one}
                onClick={() => setReason(one)}
              >
                {one}
              </Button>
            ))}
          </div>
          <div className="grid gap-1.5">
            <Label htmlFor={id}>Motivo (facoltativo)</Label>
            <Input id={id} value={reason} maxLength={200} onChange={(event) => setReason(event.target.value)} />
          </div>
          <DialogFooter>
            <Button type="button" variant="outline" onClick={onClose}>
              Non è persa
            </Button>
            <Button type="submit">Segna come persa</Button>
          </DialogFooter>
        </form>
      </DialogContent>
    </Dialog>
  )
}
