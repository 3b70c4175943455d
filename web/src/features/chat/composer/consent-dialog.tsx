import { Button } from '@/components/ui/button'
import {
  Dialog,
  DialogContent,
  DialogDescription,
  DialogFooter,
  DialogHeader,
  DialogTitle,
} from '@/components/ui/dialog'
import type { ChatSettings } from '@/data/chat-settings'
import type { ConsentAnswer } from '@/features/chat/composer/use-consent'
import { modelText } from '@/strings/chat'

type Props = { settings: ChatSettings; onAnswer: (answer: ConsentAnswer) => void }

/** Says who reads a question, before the first one goes out. */
export function ConsentDialog({ settings: { provider, in_eu: inEu }, onAnswer }: Props) {
  return (
    <Dialog open onOpenChange={(open) => !open && onAnswer('closed')}>
      <DialogContent>
        <DialogHeader>
          <DialogTitle>Chi legge la tua domanda</DialogTitle>
          <DialogDescription>
            {modelText(provider, inEu)}. Riceve la domanda, la conversazione, gli allegati e i tuoi dati che servono per
            rispondere. In modalità locale non esce nulla. Te lo chiediamo una volta sola per ogni fornitore.
          </DialogDescription>
        </DialogHeader>
        <DialogFooter>
          <Button variant="outline" onClick={() => onAnswer('locale')}>
            Usa la modalità locale
          </Button>
          <Button onClick={() => onAnswer('agreed')}>Va bene, invia</Button>
        </DialogFooter>
      </DialogContent>
    </Dialog>
  )
}
