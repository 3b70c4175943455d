/** Writes down what a contact answered: where to, what for, yes or no, and how it can be proved. */
import { zodResolver } from '@hookform/resolvers/zod'
import { useForm } from 'react-hook-form'
import { toast } from 'sonner'

import { AuthForm, TextField } from '@/components/auth-form'
import { SelectField } from '@/components/select-field'
import { Dialog, DialogContent, DialogDescription, DialogHeader, DialogTitle } from '@/components/ui/dialog'
import { useRecordConsent } from '@/data/consents'
import { z } from '@/lib/zod'
import { consentChannels, consentPurposes, consentStates } from '@/strings/crm'

const keys = <T extends object>(labels: T) => Object.keys(labels) as (keyof T & string)[]

const schema = z.object({
  channel: z.enum(keys(consentChannels)),
  purpose: z.enum(keys(consentPurposes)),
  state: z.enum(keys(consentStates)),
  legalBasis: z.string(),
  wording: z.string().max(5000, 'Al massimo 5.000 caratteri'),
  source: z.string().trim().min(2, 'Scrivi come te l’ha detto: serve come prova').max(200, 'Al massimo 200 caratteri'),
})

type Values = z.infer<typeof schema>

const bases = { Consenso: 'Consenso', Contratto: 'Contratto', 'Legittimo interesse': 'Legittimo interesse' }

export function ConsentDialog({ contactId, onClose }: { contactId: string; onClose: () => void }) {
  const record = useRecordConsent(contactId)
  const form = useForm<Values>({
    resolver: zodResolver(schema),
    defaultValues: {
      channel: 'email',
      purpose: 'marketing',
      state: 'dato',
      legalBasis: 'Consenso',
      wording: '',
      source: '',
    },
  })

  async function onSubmit(values: Values): Promise<void> {
    try {
      await record.mutateAsync(values)
      toast.success('Risposta registrata')
      onClose()
    } catch {
      toast.error('Non siamo riusciti a salvare: riprova')
    }
  }

  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent>
        <DialogHeader>
          <DialogTitle>Registra una risposta</DialogTitle>
          <DialogDescription>
            Resta scritta con data e ora, e non si può cambiare: una risposta nuova vale al posto della vecchia.
          </DialogDescription>
        </DialogHeader>
        <AuthForm form={form} onSubmit={onSubmit} submit="Registra" inline>
          <div className="grid gap-5 sm:grid-cols-2">
            <SelectField name="channel" label="Canale" options={consentChannels} />
            <SelectField name="purpose" label="Per che cosa" options={consentPurposes} />
            <SelectField name="state" label="Risposta" options={consentStates} />
            <SelectField name="legalBasis" label="Base giuridica" options={bases} />
          </div>
          <TextField
            name="source"
            label="Come te l’ha detto"
            help="Per esempio: al telefono, modulo in fiera, email del 3 marzo."
            autoComplete="off"
            maxLength={200}
          />
          <TextField
            name="wording"
            label="Con quali parole"
            help="Se le hai: il testo che ha accettato."
            maxLength={5000}
          />
        </AuthForm>
      </DialogContent>
    </Dialog>
  )
}
