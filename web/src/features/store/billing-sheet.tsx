/** Who the invoice is for, and what is bought: the last step before the checkout. Loaded when somebody buys. */
import { zodResolver } from '@hookform/resolvers/zod'
import { useEffect, useId, useRef } from 'react'
import { useForm, useFormContext, useWatch } from 'react-hook-form'
import { toast } from 'sonner'

import { AuthForm, TextField } from '@/components/auth-form'
import { RadioCard } from '@/components/radio-card'
import { Dialog, DialogContent, DialogDescription, DialogHeader, DialogTitle } from '@/components/ui/dialog'
import { useAuth } from '@/data/auth-context'
import type { Pack } from '@/data/catalog'
import { type Billing, createCheckout } from '@/data/checkout'
import { billingSchema, type BillingValues, initialValues, toBilling } from '@/features/store/billing-values'
import { FunctionError } from '@/lib/server-errors'
import { formatCredits, formatEuro } from '@/strings/numbers'

type Props = {
  userId: string
  pack: Pack
  /** Of the last order. */
  billing: Billing | null
  onCancel: () => void
  onFailure: () => void
}

export default function BillingSheet({ userId, pack, billing, onCancel, onFailure }: Props) {
  const { profile } = useAuth()
  const form = useForm<BillingValues>({
    resolver: zodResolver(billingSchema),
    defaultValues: initialValues(billing, profile),
  })
  const { isSubmitting } = form.formState
  // It goes only together with its person: the checkout of one is nothing for the next.
  const isOpen = useRef(true)
  useEffect(() => {
    isOpen.current = true
    return () => {
      isOpen.current = false
    }
  }, [])

  async function onSubmit(values: BillingValues): Promise<void> {
    try {
      const address = await createCheckout({
        packType: pack.id,
        userId,
        billing: toBilling(values),
        withdrawalWaiver: values.consent,
      })
      if (!isOpen.current) return
      window.location.assign(address)
      // The browser is on its way: until then nothing may be pressed again.
      await new Promise(() => undefined)
    } catch (error) {
      if (!isOpen.current) return
      const field = refusedField(error)
      if (field) form.setError(field, { message: (error as FunctionError).message })
      else if (error instanceof FunctionError && error.code === 'payment_under_way') {
        // Nothing went wrong: there is only nothing to pay.
        toast.info(error.message)
        onCancel()
      } else onFailure()
    }
  }

  return (
    <Dialog open onOpenChange={(open) => !open && !isSubmitting && onCancel()}>
      <DialogContent>
        <DialogHeader>
          <DialogTitle>Dati per la fattura</DialogTitle>
          <DialogDescription>
            {formatCredits(pack.credits + pack.bonus)} crediti · {formatEuro(pack.price_cents)}, IVA inclusa
          </DialogDescription>
        </DialogHeader>
        <AuthForm form={form} onSubmit={onSubmit} submit={isSubmitting ? 'Elaborazione...' : 'Vai al pagamento'} sticky>
          <KindChoice />
          <Identity />
          <Place />
          <WithdrawalConsent />
        </AuthForm>
      </DialogContent>
    </Dialog>
  )
}

/** The field that the server did not accept; its checks are ours, so this is rare. */
function refusedField(error: unknown): keyof BillingValues | undefined {
  const code = error instanceof FunctionError ? error.code : ''
  return Object.values(billingSchema.keyof().enum).find((field) => code === `invalid_${field}`)
}

const kinds = { persona: 'Persona', azienda: 'Partita IVA' } satisfies Record<Billing['kind'], string>

function KindChoice() {
  const { register } = useFormContext<BillingValues>()
  return (
    <fieldset className="grid grid-cols-2 gap-2">
      <legend className="mb-1.5 text-sm font-medium">A chi va la fattura?</legend>
      {Object.entries(kinds).map(([value, label]) => (
        <RadioCard key={value} value={value} {...register('kind')}>
          {label}
        </RadioCard>
      ))}
    </fieldset>
  )
}

const capitals = { autoCapitalize: 'characters', spellCheck: false } as const

/** What only a company has stays in the form, unseen: so the fields keep their order and what was typed. */
function Identity() {
  const isCompany = useWatch<BillingValues, 'kind'>({ name: 'kind' }) === 'azienda'
  return (
    <>
      <TextField
        name="name"
        label={isCompany ? 'Ragione sociale, o nome e cognome' : 'Nome e cognome'}
        autoComplete={isCompany ? 'organization' : 'name'}
        maxLength={120}
      />
      <div hidden={!isCompany}>
        <TextField name="vat_number" label="Partita IVA" autoComplete="off" inputMode="numeric" maxLength={20} />
      </div>
      <TextField
        name="tax_code"
        label={isCompany ? 'Codice fiscale (facoltativo)' : 'Codice fiscale'}
        autoComplete="off"
        maxLength={20}
        {...capitals}
      />
      <div hidden={!isCompany} className={isCompany ? 'grid gap-5 sm:grid-cols-2' : ''}>
        <TextField name="sdi_code" label="Codice destinatario" autoComplete="off" maxLength={7} {...capitals} />
        <TextField name="pec" label="Oppure la PEC" type="email" autoComplete="off" maxLength={120} />
      </div>
    </>
  )
}

function Place() {
  return (
    <>
      <TextField name="address" label="Indirizzo" autoComplete="street-address" maxLength={120} />
      <div className="grid grid-cols-[6rem_1fr_5rem] gap-3">
        <TextField name="postal_code" label="CAP" autoComplete="postal-code" inputMode="numeric" maxLength={5} />
        <TextField name="city" label="Comune" autoComplete="address-level2" maxLength={120} />
        <TextField name="province" label="Provincia" autoComplete="address-level1" maxLength={2} {...capitals} />
      </div>
    </>
  )
}

/** Art. 54 and 59 Codice del consumo: what the buyer asks for, and what it costs them of the right to withdraw. */
function WithdrawalConsent() {
  const {
    register,
    formState: { errors },
  } = useFormContext<BillingValues>()
  const id = useId()
  return (
    <div className="grid gap-1.5">
      <label className="flex cursor-pointer items-start gap-3 text-sm">
        <input
          type="checkbox"
          className="mt-0.5 size-5 shrink-0 accent-primary"
          aria-invalid={Boolean(errors.consent)}
          aria-describedby={errors.consent ? id : undefined}
          {...register('consent')}
        />
        <span>
          Chiedo che i crediti siano disponibili subito. Posso recedere entro 30 giorni e riavere il prezzo dei crediti
          non usati; per quelli usati il diritto di recesso non vale più.
        </span>
      </label>
      {errors.consent && (
        <p id={id} role="alert" className="text-sm font-medium text-error">
          {errors.consent.message}
        </p>
      )}
    </div>
  )
}
