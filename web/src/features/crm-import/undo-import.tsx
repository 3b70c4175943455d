import { toast } from 'sonner'

import { ConfirmDialog } from '@/components/confirm-dialog'
import { type Undone, useUndoImport } from '@/data/imports'
import { formatCount } from '@/strings/numbers'

type Props = { batchId: string; fileName: string; onClose: () => void; onUndone: () => void }

const NAMED = 5

function keptText({ kept }: Undone): string | undefined {
  if (kept.length === 0) return undefined
  const names = kept.slice(0, NAMED).map(({ name }) => name)
  const others = kept.length > NAMED ? ` e altri ${formatCount(kept.length - NAMED)}` : ''
  return `Restano, perché li hai cambiati dopo: ${names.join(', ')}${others}`
}

/** Asks once, takes an import back, and says what was kept. Mounted only while open. */
export function UndoImport({ batchId, fileName, onClose, onUndone }: Props) {
  const { undo, left } = useUndoImport()

  function onConfirm() {
    undo.mutate(batchId, {
      onSuccess: (undone) => {
        const { removed, restored } = undone
        toast.success(
          `Importazione annullata: ${formatCount(removed)} tolti, ${formatCount(restored)} com’erano prima`,
          {
            description: keptText(undone),
          },
        )
        onClose()
        onUndone()
      },
      onError: () => toast.error('Non siamo riusciti ad annullare l’importazione: riprova.'),
    })
  }

  return (
    <ConfirmDialog
      isOpen
      title={`Annullare l’importazione di «${fileName}»?`}
      text={
        left
          ? `Contatti che mancano: ${formatCount(left)}. Se ti fermi, riprendi da qui con lo stesso pulsante.`
          : 'I contatti aggiunti spariscono e quelli aggiornati tornano com’erano. Quello che hai cambiato tu dopo resta, e ti diciamo che cosa.'
      }
      confirm="Annulla importazione"
      isBusy={undo.isPending}
      onConfirm={onConfirm}
      onClose={onClose}
    />
  )
}
