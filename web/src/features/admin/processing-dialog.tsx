/** Writes an activity into the record of processing, with every field that art. 30 GDPR asks for. */
import { zodResolver } from '@hookform/resolvers/zod'
import { useForm } from 'react-hook-form'
import { toast } from 'sonner'

import { AuthForm, TextField } from '@/components/auth-form'
import { tellFailure } from '@/components/save-failure'
import { SelectField } from '@/components/select-field'
import { TextAreaField } from '@/components/text-area-field'
import { Dialog, DialogContent, DialogDescription, DialogHeader, DialogTitle } from '@/components/ui/dialog'
import { type Processing, type ProcessingRole, useWriteProcessing } from '@/data/admin-processing'
import { DataError } from '@/lib/server-errors'
import { z } from '@/lib/zod'
import { processingRoles } from '@/strings/processing'

const LONGEST = 1000
const text = z.string().trim().min(3, 'Scrivi almeno qualche parola').max(LONGEST, 'Al massimo 1.000 caratteri')

const schema = z.object({
  name: z.string().trim().min(3, 'Scrivi quale trattamento, in una riga').max(200, 'Al massimo 200 caratteri'),
  role: z.enum(Object.keys(processingRoles) as ProcessingRole[]),
  purpose: text,
  legal_basis: text,
  subjects: text,
  data: text,
  recipients: text,
  transfers: text,
  retention: text,
  measures: text,
  ended_on: z.union([z.literal(''), z.iso.date('Scrivi un giorno')]),
  reason: z.string().trim().min(5, 'Scrivi perché, con almeno cinque caratteri').max(500, 'Al massimo 500 caratteri'),
})

type Values = z.infer<typeof schema>

const texts: { name: keyof Values; label: string }[] = [
  { name: 'purpose', label: 'Finalità' },
  { name: 'legal_basis', label: 'Base giuridica' },
  { name: 'subjects', label: 'Interessati' },
  { name: 'data', label: 'Dati' },
  { name: 'recipients', label: 'Destinatari' },
  { name: 'transfers', label: 'Trasferimenti fuori dallo SEE' },
  { name: 'retention', label: 'Conservazione' },
  { name: 'measures', label: 'Misure di sicurezza' },
]

export function ProcessingDialog({
  entry: activity,
  onClose,
}: {
  entry?: Processing | undefined
  onClose: () => void
}) {
  const write = useWriteProcessing()
  const form = useForm<Values>({ resolver: zodResolver(schema), defaultValues: valuesOf(activity) })

  async function onSubmit({ reason, ended_on: endedOn, ...values }: Values): Promise<void> {
    try {
      await write.mutateAsync({
        activity: { ...values, ended_on: endedOn || null, ...(activity && { id: activity.id }) },
        reason,
      })
      toast.success('Trattamento salvato nel registro')
      onClose()
    } catch (error) {
      if (error instanceof DataError && error.code === '23505')
        form.setError('name', { message: 'C’è già un trattamento con questo nome' })
      else tellFailure(error)
    }
  }

  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent>
        <DialogHeader>
          <DialogTitle>{activity ? 'Modifica il trattamento' : 'Aggiungi un trattamento'}</DialogTitle>
          <DialogDescription>
            Ciò che chiede l’art. 30 GDPR. Ogni versione resta nel registro delle azioni; un trattamento finito resta
            con la sua data.
          </DialogDescription>
        </DialogHeader>
        <AuthForm form={form} onSubmit={onSubmit} submit="Salva" inline>
          <TextField name="name" label="Trattamento" autoComplete="off" maxLength={200} />
          <div className="grid gap-5 sm:grid-cols-2">
            <SelectField name="role" label="Siamo" options={processingRoles} />
            <TextField name="ended_on" label="Finito il (facoltativo)" type="date" />
          </div>
          {texts.map(({ name, label }) => (
            <TextAreaField key={name} name={name} label={label} rows={2} maxLength={LONGEST} />
          ))}
          <TextField name="reason" label="Motivo della modifica" autoComplete="off" maxLength={500} />
        </AuthForm>
      </DialogContent>
    </Dialog>
  )
}

function valuesOf(activity: Processing | undefined): Values {
  return {
    name: activity?.name ?? '',
    role: activity?.role ?? 'titolare',
    purpose: activity?.purpose ?? '',
    legal_basis: activity?.legal_basis ?? '',
    subjects: activity?.subjects ?? '',
    data: activity?.data ?? '',
    recipients: activity?.recipients ?? '',
    transfers: activity?.transfers ?? '',
    retention: activity?.retention ?? '',
    measures: activity?.measures ?? '',
    ended_on: activity?.ended_on ?? '',
    reason: activity ? '' : 'Nuovo trattamento',
  }
}
