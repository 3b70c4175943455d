/** Writes a breach of personal data into the register: what happened, what was done, who was told. */
import { zodResolver } from '@hookform/resolvers/zod'
import { useForm } from 'react-hook-form'
import { toast } from 'sonner'

import { AuthForm, TextField } from '@/components/auth-form'
import { tellFailure } from '@/components/save-failure'
import { SelectField } from '@/components/select-field'
import { TextAreaField } from '@/components/text-area-field'
import { Dialog, DialogContent, DialogDescription, DialogHeader, DialogTitle } from '@/components/ui/dialog'
import { type Breach, type BreachRisk, useWriteBreach } from '@/data/admin-breaches'
import { instantOf, wallTime } from '@/lib/rome-time'
import { z } from '@/lib/zod'
import { breachRisks } from '@/strings/breaches'

const HOURS_72_MS = 72 * 3_600_000

const past = z.string().refine((value) => value === '' || value <= wallTime(new Date()), 'Scrivi un momento passato')

const schema = z
  .object({
    found_at: past.refine((value) => value !== '', 'Scrivi quando lo hai saputo'),
    title: z.string().trim().min(3, 'Scrivi che cosa, in una riga').max(200, 'Al massimo 200 caratteri'),
    facts: z.string().trim().min(3, 'Scrivi che cosa è successo').max(2000, 'Al massimo 2.000 caratteri'),
    people: z.string().regex(/^\d{1,9}$/, 'Scrivi un numero, anche 0'),
    risk: z.enum(Object.keys(breachRisks) as BreachRisk[]),
    measures: z.string().trim().max(2000, 'Al massimo 2.000 caratteri'),
    authority_told_at: past,
    people_told_at: past,
    reason_not: z.string().trim().max(500, 'Al massimo 500 caratteri'),
  })
  .superRefine((breach, context) => {
    for (const path of ['authority_told_at', 'people_told_at'] as const) {
      if (breach[path] && breach[path] < breach.found_at) {
        context.addIssue({ code: 'custom', path: [path], message: 'È prima di quando lo hai saputo' })
      }
    }
    const told = fromInput(breach.authority_told_at)
    const found = fromInput(breach.found_at)
    if (told && found && Date.parse(told) > Date.parse(found) + HOURS_72_MS && !breach.reason_not) {
      context.addIssue({ code: 'custom', path: ['reason_not'], message: 'Dopo 72 ore serve il motivo del ritardo' })
    }
  })

type Values = z.infer<typeof schema>

export function BreachDialog({ entry: breach, onClose }: { entry?: Breach | undefined; onClose: () => void }) {
  const write = useWriteBreach()
  const form = useForm<Values>({
    resolver: zodResolver(schema),
    defaultValues: valuesOf(breach),
  })

  async function onSubmit(values: Values): Promise<void> {
    try {
      await write.mutateAsync({
        ...values,
        ...(breach && { id: breach.id }),
        people: Number(values.people),
        found_at: instantOf(values.found_at),
        authority_told_at: fromInput(values.authority_told_at),
        people_told_at: fromInput(values.people_told_at),
      })
      toast.success('Violazione salvata nel registro')
      onClose()
    } catch (error) {
      tellFailure(error)
    }
  }

  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent>
        <DialogHeader>
          <DialogTitle>{breach ? 'Aggiorna la violazione' : 'Registra una violazione'}</DialogTitle>
          <DialogDescription>
            Fatti, effetti e misure (art. 33 GDPR), senza i dati delle persone. Ogni versione resta nel registro delle
            azioni.
          </DialogDescription>
        </DialogHeader>
        <AuthForm form={form} onSubmit={onSubmit} submit="Salva" inline>
          <TextField name="title" label="Che cosa" autoComplete="off" maxLength={200} />
          <div className="grid gap-5 sm:grid-cols-2">
            <TextField name="found_at" label="Saputo il" type="datetime-local" />
            <TextField name="people" label="Persone, circa" inputMode="numeric" autoComplete="off" />
          </div>
          <TextAreaField name="facts" label="Fatti ed effetti" rows={3} maxLength={2000} />
          <SelectField name="risk" label="Rischio" options={breachRisks} />
          <TextAreaField name="measures" label="Misure prese" rows={2} maxLength={2000} />
          <div className="grid gap-5 sm:grid-cols-2">
            <TextField name="authority_told_at" label="Garante avvisato il" type="datetime-local" />
            <TextField name="people_told_at" label="Persone avvisate il" type="datetime-local" />
          </div>
          <TextAreaField name="reason_not" label="Perché no, o perché tardi" rows={2} maxLength={500} />
        </AuthForm>
      </DialogContent>
    </Dialog>
  )
}

/** Those of a breach, or of one that was noticed just now. */
function valuesOf(breach: Breach | undefined): Values {
  return {
    title: breach?.title ?? '',
    facts: breach?.facts ?? '',
    people: String(breach?.people ?? 0),
    risk: breach?.risk ?? 'risk',
    measures: breach?.measures ?? '',
    reason_not: breach?.reason_not ?? '',
    found_at: wallTime(breach?.found_at ?? new Date()),
    authority_told_at: toInput(breach?.authority_told_at),
    people_told_at: toInput(breach?.people_told_at),
  }
}

/** A moment as the field shows it; empty for none. */
const toInput = (moment: string | null | undefined): string => (moment ? wallTime(moment) : '')

const fromInput = (value: string): string | null => (value ? instantOf(value) : null)
