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

type Props = { settings: ChatSettings; confirm: string; onAgree: () => void; onClose: () => void }

/** Says who hears a voice note, before the first one goes out. */
export function VoiceConsentDialog({ settings: { provider, in_eu: inEu }, confirm, onAgree, onClose }: Props) {
  const where = inEu === null ? '' : inEu ? ' in Europa' : ' anche fuori dall’Europa'
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent>
        <DialogHeader>
          <DialogTitle>Chi ascolta il messaggio</DialogTitle>
          <DialogDescription>
            La trascrizione la fa un modello di {provider ?? 'IA'}
            {where && `,${where}`}. Riceve l’audio, non il nome di chi parla. Il consenso vale anche per le domande in
            chat: te lo chiediamo una volta sola per ogni fornitore.
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
