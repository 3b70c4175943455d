/** Writes a request of a client down: who, what, when, and how it came in. */
import { zodResolver } from '@hookform/resolvers/zod'
import { format } from 'date-fns'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { toast } from 'sonner'

import { AuthForm, TextField } from '@/components/auth-form'
import { ContactField } from '@/components/contact-field'
import { tellFailure } from '@/components/save-failure'
import { SelectField } from '@/components/select-field'
import { Dialog, DialogContent, DialogDescription, DialogHeader, DialogTitle } from '@/components/ui/dialog'
import { type RequestKind, useRegisterRequest } from '@/data/contact-requests'
import { DataError } from '@/lib/server-errors'
import { z } from '@/lib/zod'
import { requestKinds } from '@/strings/contact-requests'

const schema = z.object({
  kind: z.enum(Object.keys(requestKinds) as RequestKind[]),
  receivedOn: z.iso.date('Scrivi il giorno in cui l’hai ricevuta'),
  receivedBy: z.string().max(200, 'Al massimo 200 caratteri'),
})

type Values = z.infer<typeof schema>
type Party = { id: string; name: string | null }

export function RegisterRequestDialog({
  userId,
  contact = null,
  onClose,
}: {
  userId: string
  /** Whose page it is on. */
  contact?: Party | null
  onClose: () => void
}) {
  const [party, setParty] = useState<Party | null>(contact)
  const [isPartyMissing, setPartyMissing] = useState(false)
  const [today] = useState(() => format(new Date(), 'yyyy-MM-dd'))
  const register = useRegisterRequest()
  const form = useForm<Values>({
    resolver: zodResolver(schema),
    defaultValues: { kind: 'accesso', receivedOn: today, receivedBy: '' },
  })

  async function onSubmit(values: Values): Promise<void> {
    setPartyMissing(party === null)
    if (!party) return
    try {
      await register.mutateAsync({ contactId: party.id, ...values })
      toast.success('Richiesta registrata', { description: 'Ti avvisiamo una settimana prima della scadenza.' })
      onClose()
    } catch (error) {
      const code = error instanceof DataError ? error.code : ''
      if (code === 'SC051') form.setError('receivedOn', { message: 'Scegli oggi o un giorno dell’ultimo anno' })
      else if (code === 'SC052') toast.error('Hai già 200 richieste aperte: chiudine qualcuna')
      else tellFailure(error)
    }
  }

  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent>
        <DialogHeader>
          <DialogTitle>Registra una richiesta</DialogTitle>
          <DialogDescription>
            Il mese parte dal giorno in cui l’hai ricevuta. Prima di rispondere accertati di chi scrive.
          </DialogDescription>
        </DialogHeader>
        <AuthForm form={form} onSubmit={onSubmit} submit="Registra" inline>
          {contact === null && (
            <div className="grid gap-1.5">
              <ContactField userId={userId} label="Cliente" value={party} onChoose={setParty} />
              {isPartyMissing && !party && (
                <p role="alert" className="text-sm font-medium text-error">
                  Scegli un contatto
                </p>
              )}
            </div>
          )}
          <SelectField name="kind" label="Che cosa chiede" options={requestKinds} />
          <TextField name="receivedOn" label="Ricevuta il" type="date" />
          <TextField
            name="receivedBy"
            label="Come (facoltativo)"
            help="Per esempio: email, telefono, lettera."
            autoComplete="off"
            maxLength={200}
          />
        </AuthForm>
      </DialogContent>
    </Dialog>
  )
}
