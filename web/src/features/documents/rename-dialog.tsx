import { zodResolver } from '@hookform/resolvers/zod'
import { useForm } from 'react-hook-form'
import { toast } from 'sonner'

import { AuthForm, TextField } from '@/components/auth-form'
import { Dialog, DialogContent, DialogDescription, DialogHeader, DialogTitle } from '@/components/ui/dialog'
import { type ListedDocument, useRenameDocument } from '@/data/documents'
import { extensionOf } from '@/lib/object-names'
import { z } from '@/lib/zod'

const schema = z.object({
  stem: z.string().trim().min(1, 'Scrivi un nome').max(150, 'Nome troppo lungo'),
})

type Values = z.infer<typeof schema>

type Props = { document: ListedDocument; userId: string; onClose: () => void }

/** Asks for a new name; the ending stays, because it says what the file is. Mounted only while open. */
export function RenameDialog({ document: { id, filename }, userId, onClose }: Props) {
  const rename = useRenameDocument(userId)
  const extension = extensionOf(filename)
  const ending = extension ? filename.slice(-extension.length - 1) : ''
  const form = useForm<Values>({
    resolver: zodResolver(schema),
    defaultValues: { stem: filename.slice(0, filename.length - ending.length) },
  })

  async function onSubmit({ stem }: Values): Promise<void> {
    const name = stem + ending
    try {
      if (name !== filename) await rename.mutateAsync({ id, name })
      onClose()
    } catch {
      toast.error('Non siamo riusciti a rinominare il documento: riprova')
    }
  }

  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent>
        <DialogHeader>
          <DialogTitle>Rinomina il documento</DialogTitle>
          <DialogDescription>
            {ending
              ? `Il file resta di tipo ${ending}: cambia solo il nome.`
              : 'Cambia solo il nome, non il contenuto.'}
          </DialogDescription>
        </DialogHeader>
        <AuthForm form={form} onSubmit={onSubmit} submit="Rinomina">
          <TextField name="stem" label="Nome" autoComplete="off" maxLength={150} />
        </AuthForm>
      </DialogContent>
    </Dialog>
  )
}
