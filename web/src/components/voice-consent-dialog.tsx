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
import type { ChatSettings } from '@/data/chat-settings'
import { modelOf } from '@/strings/chat'

type Props = { settings: ChatSettings; confirm: string; onAgree: () => void; onClose: () => void }

/** Says who hears a voice note, before the first one goes out. */
export function VoiceConsentDialog({ settings: { provider, in_eu: inEu }, confirm, onAgree, onClose }: Props) {
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent>
        <DialogHeader>
          <DialogTitle>Chi ascolta il messaggio</DialogTitle>
          <DialogDescription>
            La trascrizione la fa {modelOf(provider, inEu)}. Riceve l’audio, non il nome di chi parla. Il consenso vale
            anche per le domande in chat: te lo chiediamo una volta sola per ogni fornitore.
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
