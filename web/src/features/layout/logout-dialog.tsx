/** Asks what becomes of the outbox before its person leaves. */
import { Button } from '@/components/ui/button'
import {
  Dialog,
  DialogContent,
  DialogDescription,
  DialogFooter,
  DialogHeader,
  DialogTitle,
} from '@/components/ui/dialog'
import type { OutboxEntry } from '@/data/outbox'
import { outboxCount } from '@/strings/outbox'

type Props = {
  entries: readonly OutboxEntry[]
  isBusy: boolean
  onLogout: (discards: boolean) => void
  onClose: () => void
}

export function LogoutDialog({ entries, isBusy, onLogout, onClose }: Props) {
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent>
        <DialogHeader>
          <DialogTitle>Uscire adesso?</DialogTitle>
          <DialogDescription>
            Hai {outboxCount(entries)}. Se le conservi, restano in questo browser e partono quando rientri con questo
            account; chi entra con un altro non le vede. Su un computer non tuo è meglio eliminarle.
          </DialogDescription>
        </DialogHeader>
        <DialogFooter>
          <Button variant="outline" onClick={onClose}>
            Annulla
          </Button>
          <Button variant="destructive" disabled={isBusy} onClick={() => onLogout(true)}>
            Elimina ed esci
          </Button>
          <Button disabled={isBusy} onClick={() => onLogout(false)}>
            Conserva ed esci
          </Button>
        </DialogFooter>
      </DialogContent>
    </Dialog>
  )
}
