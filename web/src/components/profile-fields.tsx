/** The fields about a person and their work, of the first step of the onboarding and of the pages under /settings. */
import { useFormContext } from 'react-hook-form'

import { TextField } from '@/components/auth-form'
import { RadioCard } from '@/components/radio-card'
import { TextAreaField } from '@/components/text-area-field'
import type { Answers } from '@/data/profile-answers'
import { taxRegimes } from '@/strings/tax-regimes'

/** Inside a form whose values are `Answers`. */
export function ProfileFields() {
  return (
    <>
      <div className="grid gap-5 sm:grid-cols-2">
        <TextField name="fullName" label="Nome completo" autoComplete="name" maxLength={120} />
        <TextField name="businessName" label="Nome dell’attività" autoComplete="organization" maxLength={120} />
      </div>
      <ActivityField />
      <TaxRegimeChoice />
      <GoalField />
    </>
  )
}

export function ActivityField() {
  return (
    <TextField
      name="activity"
      label="Che lavoro fai?"
      help="Per esempio: fotografa di matrimoni, idraulico, studio di architettura."
      autoComplete="organization-title"
      maxLength={120}
    />
  )
}

export function TaxRegimeChoice() {
  const { register } = useFormContext<Pick<Answers, 'taxRegime'>>()
  return (
    <fieldset className="grid grid-cols-2 gap-2">
      <legend className="mb-1.5 text-sm font-medium">Regime fiscale</legend>
      {Object.entries(taxRegimes).map(([value, label]) => (
        <RadioCard key={value} value={value} {...register('taxRegime')}>
          {label}
        </RadioCard>
      ))}
    </fieldset>
  )
}

export function GoalField() {
  return (
    <TextAreaField
      name="goal"
      label="Che cosa vuoi ottenere per primo?"
      help="Per esempio: rispondere ai preventivi in giornata."
      rows={2}
      maxLength={500}
      className="min-h-20"
    />
  )
}
