/** Writes what a model costs from a day on, with its source. */
import { zodResolver } from '@hookform/resolvers/zod'
import { useForm } from 'react-hook-form'
import { toast } from 'sonner'

import { AuthForm, TextField } from '@/components/auth-form'
import { tellFailure } from '@/components/save-failure'
import { Dialog, DialogContent, DialogDescription, DialogHeader, DialogTitle } from '@/components/ui/dialog'
import { useSetAiRate } from '@/data/admin'
import { z } from '@/lib/zod'

const euros = z.string().regex(/^\s*(\d{1,6}([.,]\d{1,4})?\s*)?$/, 'Scrivi gli euro, con al massimo quattro decimali')
const fields = z.object({
  model: z.string().trim().min(1, 'Scrivi il modello').max(200, 'Al massimo 200 caratteri'),
  host: z.string().trim().min(1, 'Scrivi l’indirizzo').max(200, 'Al massimo 200 caratteri'),
  since: z.iso.date('Scegli il giorno da cui vale'),
  input: euros,
  output: euros,
  minute: z.string().regex(/^\s*(\d{1,6}([.,]\d{1,6})?\s*)?$/, 'Scrivi gli euro, con al massimo sei decimali'),
  source: z.string().trim().min(5, 'Scrivi dove sta scritto').max(200, 'Al massimo 200 caratteri'),
})

const schema = fields
  .refine(({ input, output }) => !input.trim() === !output.trim(), {
    path: ['output'],
    message: 'Scrivi tutte e due le tariffe dei token, o nessuna',
  })
  .refine(({ input, minute }) => input.trim() || minute.trim(), {
    path: ['minute'],
    message: 'Scrivi le tariffe dei token o quella al minuto',
  })

type Values = z.infer<typeof schema>

type Props = { host: string; model: string; onClose: () => void }

export function RateDialog({ host, model, onClose }: Props) {
  const { mutateAsync } = useSetAiRate()
  const form = useForm<Values>({
    resolver: zodResolver(schema),
    defaultValues: { host, model, since: '', input: '', output: '', minute: '', source: '' },
  })

  async function onSubmit({ input, output, minute, ...rate }: Values): Promise<void> {
    try {
      await mutateAsync({ ...rate, input: inEuros(input), output: inEuros(output), minute: inEuros(minute) })
      toast.success('Tariffa salvata: entra nella prossima misura, entro un’ora')
      onClose()
    } catch (error) {
      tellFailure(error)
    }
  }

  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent>
        <DialogHeader>
          <DialogTitle>Nuova tariffa</DialogTitle>
          <DialogDescription>
            In euro per un milione di token o per un minuto di audio, dal giorno che scegli. La fonte resta nel registro
            delle azioni.
          </DialogDescription>
        </DialogHeader>
        <AuthForm form={form} onSubmit={onSubmit} submit="Salva la tariffa" inline>
          <TextField name="model" label="Modello" autoComplete="off" maxLength={200} />
          <TextField name="host" label="Indirizzo del fornitore" autoComplete="off" maxLength={200} />
          <TextField name="since" label="Dal giorno" type="date" />
          <div className="grid gap-5 sm:grid-cols-2">
            <TextField name="input" label="In ingresso, €" inputMode="decimal" autoComplete="off" />
            <TextField name="output" label="In uscita, €" inputMode="decimal" autoComplete="off" />
          </div>
          <TextField name="minute" label="Al minuto di audio, €" inputMode="decimal" autoComplete="off" />
          <TextField name="source" label="Fonte" autoComplete="off" maxLength={200} />
        </AuthForm>
      </DialogContent>
    </Dialog>
  )
}

const inEuros = (typed: string): number | null => (typed.trim() ? Number(typed.trim().replace(',', '.')) : null)
