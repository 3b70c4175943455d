import type { ReactNode } from 'react'

import { Button } from '@/components/ui/button'
import {
  Dialog,
  DialogClose,
  DialogContent,
  DialogDescription,
  DialogFooter,
  DialogHeader,
  DialogTitle,
} from '@/components/ui/dialog'

type Props = { title: string; children: ReactNode; confirm: string; onAgree: () => void; onClose: () => void }

/** Says who gets what, before the first data go to a provider of AI. */
export function ProviderConsentDialog({ title, children, confirm, onAgree, onClose }: Props) {
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent>
        <DialogHeader>
          <DialogTitle>{title}</DialogTitle>
          <DialogDescription>
            {children} Il consenso vale anche per le domande in chat: te lo chiediamo una volta sola per ogni fornitore.
          </DialogDescription>
        </DialogHeader>
        <DialogFooter>
          <DialogClose asChild>
            <Button variant="outline">Annulla</Button>
          </DialogClose>
          <Button onClick={onAgree}>{confirm}</Button>
        </DialogFooter>
      </DialogContent>
    </Dialog>
  )
}
