/** «Proponi un'idea»: one thing that the person wishes for, to whoever runs Socio. */
import { zodResolver } from '@hookform/resolvers/zod'
import { useForm } from 'react-hook-form'
import { toast } from 'sonner'

import { AuthForm, TextField } from '@/components/auth-form'
import { tellFailure } from '@/components/save-failure'
import { TextAreaField } from '@/components/text-area-field'
import { Dialog, DialogContent, DialogDescription, DialogHeader, DialogTitle } from '@/components/ui/dialog'
import { useSendIdea } from '@/data/ideas'
import { DataError } from '@/lib/server-errors'
import { z } from '@/lib/zod'

const schema = z.object({
  title: z
    .string()
    .transform((title) => title.replaceAll(/\s+/g, ' ').trim())
    .pipe(z.string().min(3, 'Scrivi che cosa vorresti, in una riga').max(120, 'Al massimo 120 caratteri')),
  text: z.string().max(2000, 'Al massimo 2.000 caratteri'),
})

export function IdeaDialog({ onClose }: { onClose: () => void }) {
  const send = useSendIdea()
  const form = useForm({ resolver: zodResolver(schema), defaultValues: { title: '', text: '' } })

  async function onSubmit(values: z.infer<typeof schema>): Promise<void> {
    try {
      await send.mutateAsync(values)
      toast.success('Idea inviata', { description: 'La risposta arriva tra gli avvisi e in questa pagina.' })
      onClose()
    } catch (error) {
      if (error instanceof DataError && error.code === 'SC061')
        form.setError('title', { message: 'Per oggi bastano dieci idee: questa mandala domani' })
      else tellFailure(error)
    }
  }

  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent>
        <DialogHeader>
          <DialogTitle>Proponi un’idea</DialogTitle>
          <DialogDescription>
            La legge chi gestisce Socio, senza il tuo nome: non scriverci dati di clienti. Se la mettiamo in roadmap, la
            riscriviamo con parole nostre.
          </DialogDescription>
        </DialogHeader>
        <AuthForm form={form} onSubmit={onSubmit} submit="Invia" inline>
          <TextField name="title" label="Che cosa vorresti" autoComplete="off" maxLength={120} />
          <TextAreaField
            name="text"
            label="Perché ti servirebbe (facoltativo)"
            help="Per esempio: che cosa fai oggi, quanto tempo ci metti."
            rows={4}
            maxLength={2000}
          />
        </AuthForm>
      </DialogContent>
    </Dialog>
  )
}
