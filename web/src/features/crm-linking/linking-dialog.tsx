/** «Conferma tutti»: what will be linked and made, before anything happens. */
import { Button } from '@/components/ui/button'
import {
  Dialog,
  DialogContent,
  DialogDescription,
  DialogFooter,
  DialogHeader,
  DialogTitle,
} from '@/components/ui/dialog'
import { Progress } from '@/components/ui/progress'
import type { Ready } from '@/features/crm-linking/choices'
import { draftText, nameOf } from '@/strings/parties'

type Props = {
  ready: readonly Ready[]
  progress: { done: number; of: number } | null
  onClose: () => void
  onConfirm: () => void
}

export function LinkingDialog({ ready, progress, onClose, onConfirm }: Props) {
  const made = ready.filter(({ choice }) => choice.kind === 'new').length
  return (
    <Dialog open onOpenChange={(open) => !open && !progress && onClose()}>
      <DialogContent className="sm:max-w-2xl">
        <DialogHeader>
          <DialogTitle>{title(ready.length - made, made)}</DialogTitle>
          <DialogDescription>
            Anche i documenti che arriveranno si collegheranno così. Potrai annullare tutto insieme.
          </DialogDescription>
        </DialogHeader>
        <ul aria-label="Collegamenti da fare" className="max-h-[50dvh] divide-y overflow-y-auto text-sm">
          {ready.map(({ party, choice }) => (
            <li key={party.party_key} className="grid gap-0.5 py-2.5">
              <span className="break-words">
                «{nameOf(party)}» {choice.kind === 'new' ? 'diventa un ' : 'è '}
                <span className="font-medium">{choice.kind === 'new' ? 'nuovo contatto' : `«${choice.name}»`}</span>
              </span>
              {choice.kind === 'new' && draftText(party.draft) && (
                <span className="break-words text-muted-foreground">{draftText(party.draft)}</span>
              )}
            </li>
          ))}
        </ul>
        {progress && <Progress value={progress.done} max={progress.of} aria-label="Collegamento dei documenti" />}
        <DialogFooter>
          <Button variant="outline" disabled={progress !== null} onClick={onClose}>
            Torna indietro
          </Button>
          <Button disabled={progress !== null} onClick={onConfirm}>
            Conferma
          </Button>
        </DialogFooter>
      </DialogContent>
    </Dialog>
  )
}

function title(linked: number, made: number): string {
  const links = linked === 1 ? 'Collegare 1 nome' : `Collegare ${linked} nomi`
  const makes = made === 1 ? 'creare 1 contatto' : `creare ${made} contatti`
  if (made === 0) return `${links}?`
  return linked === 0 ? `${makes.replace('creare', 'Creare')}?` : `${links} e ${makes}?`
}
