/** Changes the daily cap, the stop of the AI and the prices, with a reason that the log keeps. */
import { zodResolver } from '@hookform/resolvers/zod'
import { useForm, useFormContext } from 'react-hook-form'
import { toast } from 'sonner'

import { AuthForm, TextField } from '@/components/auth-form'
import { tellFailure } from '@/components/save-failure'
import { TextAreaField } from '@/components/text-area-field'
import { Dialog, DialogContent, DialogDescription, DialogHeader, DialogTitle } from '@/components/ui/dialog'
import { type Guardrail, type GuardrailChange, useSetGuardrail } from '@/data/admin'
import { useCatalog } from '@/data/catalog'
import { DataError } from '@/lib/server-errors'
import { z } from '@/lib/zod'
import { actionName, chargedActions } from '@/strings/admin'

/** «1.000» is how Italians write a thousand. */
const digits = (text: string) => text.trim().replaceAll('.', '')

// The bounds of private.check_guardrail.
const price = z.string().refine((text) => /^\d{1,3}$/.test(digits(text)), 'Scrivi un numero da 0 a 999')
const schema = z.object({
  cap: z.string().refine((text) => /^([1-9]\d{0,6})?$/.test(digits(text)), 'Scrivi un numero intero, o lascia vuoto'),
  chat: price,
  chat_deep: price,
  advice: price,
  voice_minute: price,
  letter: price,
  isStopped: z.boolean(),
  reason: z.string().trim().min(3, 'Scrivi il motivo').max(500, 'Al massimo 500 caratteri'),
})

type Values = z.infer<typeof schema>

type Props = { guardrail: Guardrail; onClose: () => void }

export function GuardrailDialog({ guardrail, onClose }: Props) {
  const { credit_prices: prices } = useCatalog()
  const { mutateAsync } = useSetGuardrail()
  const form = useForm<Values>({ resolver: zodResolver(schema), defaultValues: valuesOf(guardrail) })

  async function onSubmit(values: Values): Promise<void> {
    const change = changeOf(guardrail, values)
    if (Object.keys(change).length === 0) {
      form.setError('reason', { message: 'Non hai cambiato nessun limite' })
      return
    }
    try {
      await mutateAsync({ change, reason: values.reason })
      toast.success('Limiti salvati')
      onClose()
    } catch (error) {
      if (error instanceof DataError && error.code === 'SC010') {
        form.setError('reason', {
          message: 'Un nuovo listino ha già una data: i prezzi si cambiano lì, o dopo quella data',
        })
      } else tellFailure(error)
    }
  }

  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent>
        <DialogHeader>
          <DialogTitle>Guardrail crediti</DialogTitle>
          <DialogDescription>
            Vale subito, per tutti. Un prezzo nuovo non cambia ciò che è già riservato o approvato. Il motivo resta nel
            registro delle azioni.
          </DialogDescription>
        </DialogHeader>
        <AuthForm form={form} onSubmit={onSubmit} submit="Salva i limiti" inline>
          <TextField
            name="cap"
            label="Tetto al giorno per persona, in crediti"
            inputMode="numeric"
            autoComplete="off"
            help="Riparte a mezzanotte. Vuoto: nessun tetto."
          />
          <fieldset className="grid gap-4 sm:grid-cols-2 sm:items-end">
            <legend className="mb-2 text-sm font-semibold">Prezzi, in crediti</legend>
            {chargedActions.map((action) => (
              <TextField
                key={action}
                name={action}
                label={actionName(prices, action)}
                inputMode="numeric"
                autoComplete="off"
              />
            ))}
          </fieldset>
          <StopField />
          <TextAreaField name="reason" label="Motivo" rows={2} maxLength={500} />
        </AuthForm>
      </DialogContent>
    </Dialog>
  )
}

function StopField() {
  const { register } = useFormContext<Values>()
  return (
    <label className="flex min-h-11 cursor-pointer items-center gap-3 text-sm">
      <input type="checkbox" className="size-5 shrink-0 accent-primary" {...register('isStopped')} />
      <span>
        Ferma l’IA per tutti: risposte a pagamento e agenti si fermano subito, la modalità locale e il resto continuano
      </span>
    </label>
  )
}

const valuesOf = ({ daily_cap: cap, ai_stopped: isStopped, prices }: Guardrail): Values => ({
  cap: cap === null ? '' : String(cap),
  chat: String(prices.chat),
  chat_deep: String(prices.chat_deep),
  advice: String(prices.advice),
  voice_minute: String(prices.voice_minute),
  letter: String(prices.letter),
  isStopped,
  reason: '',
})

/** What differs from the limits that the dialog showed: what another admin changed meanwhile stays. */
function changeOf(guardrail: Guardrail, values: Values): GuardrailChange {
  const cap = values.cap.trim() === '' ? null : Number(digits(values.cap))
  const prices = chargedActions.flatMap((action) => {
    const wanted = Number(digits(values[action]))
    return wanted === guardrail.prices[action] ? [] : [[action, wanted]]
  })
  return {
    ...(cap !== guardrail.daily_cap && { daily_cap: cap }),
    ...(values.isStopped !== guardrail.ai_stopped && { ai_stopped: values.isStopped }),
    ...(prices.length > 0 && { prices: Object.fromEntries(prices) as NonNullable<GuardrailChange['prices']> }),
  }
}
