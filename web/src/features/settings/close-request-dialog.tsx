/** Closes a request of a client: what came of it, and a note. */
import { zodResolver } from '@hookform/resolvers/zod'
import { useForm } from 'react-hook-form'
import { toast } from 'sonner'

import { AuthForm, TextField } from '@/components/auth-form'
import { tellFailure } from '@/components/save-failure'
import { SelectField } from '@/components/select-field'
import { Dialog, DialogContent, DialogDescription, DialogHeader, DialogTitle } from '@/components/ui/dialog'
import { type RequestOutcome, useCloseRequest } from '@/data/contact-requests'
import { z } from '@/lib/zod'
import { requestOutcomes } from '@/strings/contact-requests'

const schema = z.object({
  outcome: z.enum(Object.keys(requestOutcomes) as RequestOutcome[]),
  note: z.string().max(2000, 'Al massimo 2.000 caratteri'),
})

export function CloseRequestDialog({ requestId, onClose }: { requestId: string; onClose: () => void }) {
  const end = useCloseRequest()
  const form = useForm<z.infer<typeof schema>>({
    resolver: zodResolver(schema),
    defaultValues: { outcome: 'soddisfatta', note: '' },
  })

  async function onSubmit(values: z.infer<typeof schema>): Promise<void> {
    try {
      await end.mutateAsync({ id: requestId, ...values })
      toast.success('Richiesta chiusa')
      onClose()
    } catch (error) {
      tellFailure(error)
    }
  }

  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent>
        <DialogHeader>
          <DialogTitle>Chiudi la richiesta</DialogTitle>
          <DialogDescription>
            Resta scritta cinque anni, come prova che hai risposto. Al cliente rispondi tu.
          </DialogDescription>
        </DialogHeader>
        <AuthForm form={form} onSubmit={onSubmit} submit="Chiudi la richiesta" inline>
          <SelectField name="outcome" label="Com’è finita" options={requestOutcomes} />
          <TextField
            name="note"
            label="Nota (facoltativa)"
            help="Per esempio: copia inviata per email."
            maxLength={2000}
          />
        </AuthForm>
      </DialogContent>
    </Dialog>
  )
}
