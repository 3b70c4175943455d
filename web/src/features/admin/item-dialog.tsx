/** Writes an item of the roadmap: a new one, one that is there, or one that an idea or an error asks for. */
import { zodResolver } from '@hookform/resolvers/zod'
import { useForm, useFormContext } from 'react-hook-form'
import { toast } from 'sonner'

import { AuthForm, TextField } from '@/components/auth-form'
import { tellFailure } from '@/components/save-failure'
import { SelectField } from '@/components/select-field'
import { TextAreaField } from '@/components/text-area-field'
import { Dialog, DialogContent, DialogDescription, DialogHeader, DialogTitle } from '@/components/ui/dialog'
import { type ItemKind, type ItemState, useWriteItem, type WrittenItem } from '@/data/admin-roadmap'
import { z } from '@/lib/zod'
import { itemStates } from '@/strings/roadmap-states'

const schema = z.object({
  title: z.string().trim().min(3, 'Scrivi che cosa, in una riga').max(120, 'Al massimo 120 caratteri'),
  text: z.string().trim().max(500, 'Al massimo 500 caratteri'),
  state: z.enum(Object.keys(itemStates) as ItemState[]),
  dueOn: z.union([z.literal(''), z.iso.date('Scrivi un giorno')]),
  isPublic: z.boolean(),
})

type Values = z.infer<typeof schema>

type Props = {
  item: Partial<WrittenItem> & { kind: ItemKind }
  /** Called with the id of what was written, before the dialog closes. */
  onSaved?: (id: number) => Promise<unknown>
  onClose: () => void
}

export function ItemDialog({ item, onSaved, onClose }: Props) {
  const write = useWriteItem()
  const form = useForm<Values>({
    resolver: zodResolver(schema),
    defaultValues: { title: '', text: '', state: 'planned', dueOn: '', isPublic: false, ...item },
  })

  async function onSubmit(values: Values): Promise<void> {
    try {
      const id = await write.mutateAsync({ ...item, ...values })
      await onSaved?.(id)
      toast.success('Voce salvata')
      onClose()
    } catch (error) {
      tellFailure(error)
    }
  }

  const isTechnical = item.kind === 'technical'
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent>
        <DialogHeader>
          <DialogTitle>{item.id === undefined ? 'Nuova voce' : 'Modifica la voce'}</DialogTitle>
          <DialogDescription>
            {isTechnical
              ? 'Le voci tecniche le vedono solo gli amministratori.'
              : 'Scrivila con parole tue, senza dati di chi l’ha chiesta. Chi l’ha chiesta riceve un avviso quando cambia stato.'}
          </DialogDescription>
        </DialogHeader>
        <AuthForm form={form} onSubmit={onSubmit} submit="Salva" inline>
          <TextField name="title" label="Titolo" autoComplete="off" maxLength={120} />
          <TextAreaField name="text" label="Descrizione" rows={3} maxLength={500} />
          <div className="grid gap-5 sm:grid-cols-2">
            <SelectField name="state" label="Stato" options={itemStates} />
            <TextField name="dueOn" label="Promessa entro (facoltativo)" type="date" />
          </div>
          {!isTechnical && <PublicField />}
        </AuthForm>
      </DialogContent>
    </Dialog>
  )
}

function PublicField() {
  const { register } = useFormContext<Values>()
  return (
    <label className="flex min-h-11 cursor-pointer items-center gap-3 text-sm">
      <input type="checkbox" className="size-5 shrink-0 accent-primary" {...register('isPublic')} />
      <span>Pubblica nella roadmap; tra le novità quando è fatta</span>
    </label>
  )
}
