import { zodResolver } from '@hookform/resolvers/zod'
import type { ComponentProps } from 'react'
import { type UseFormRegister, useForm } from 'react-hook-form'

import { Form, FormControl, FormDescription, FormField, FormItem, FormLabel, FormMessage } from '@/components/ui/form'
import { Input } from '@/components/ui/input'
import { Textarea } from '@/components/ui/textarea'
import type { Profile, ProfileChange } from '@/data/profiles'
import { type Answers, answersOf, answersSchema, changeFrom } from '@/features/onboarding/answers'
import { StepActions, StepCard } from '@/features/onboarding/step-card'
import { taxRegimes } from '@/strings/tax-regimes'

type Props = {
  profile: Profile
  isSaving: boolean
  onSkip: () => void
  onContinue: (change: ProfileChange) => void
}

export function WhoStep({ profile, isSaving, onSkip, onContinue }: Props) {
  const form = useForm<Answers>({ resolver: zodResolver(answersSchema), defaultValues: answersOf(profile) })
  return (
    <StepCard
      title="Chi sei"
      intro="Due minuti per conoscerci. Le risposte restano nel tuo profilo e le cambi quando vuoi."
    >
      <Form {...form}>
        <form noValidate onSubmit={form.handleSubmit((answers) => onContinue(changeFrom(answers)))}>
          <fieldset disabled={isSaving} className="grid min-w-0 gap-5">
            <div className="grid gap-5 sm:grid-cols-2">
              <Line name="fullName" label="Nome completo" autoComplete="name" maxLength={120} />
              <Line name="businessName" label="Nome dell’attività" autoComplete="organization" maxLength={120} />
            </div>
            <Line
              name="activity"
              label="Che lavoro fai?"
              help="Per esempio: fotografa di matrimoni, idraulico, studio di architettura."
              autoComplete="organization-title"
              maxLength={120}
            />
            <TaxRegimeChoice register={form.register} />
            <Goal />
            <StepActions isSaving={isSaving} onSkip={onSkip} />
          </fieldset>
        </form>
      </Form>
    </StepCard>
  )
}

type LineProps = ComponentProps<typeof Input> & { name: keyof Answers; label: string; help?: string }

function Line({ name, label, help, ...input }: LineProps) {
  return (
    <FormField<Answers>
      name={name}
      render={({ field }) => (
        <FormItem className="content-start">
          <FormLabel>{label}</FormLabel>
          <FormControl>
            <Input {...field} {...input} />
          </FormControl>
          {help && <FormDescription>{help}</FormDescription>}
          <FormMessage />
        </FormItem>
      )}
    />
  )
}

/** Native radios: the arrow keys and the phone's own voice work without a line of ours. */
function TaxRegimeChoice({ register }: { register: UseFormRegister<Answers> }) {
  return (
    <fieldset className="grid grid-cols-2 gap-2">
      <legend className="mb-1.5 text-sm font-medium">Regime fiscale</legend>
      {Object.entries(taxRegimes).map(([value, label]) => (
        <label
          key={value}
          className="flex min-h-11 cursor-pointer items-center gap-2.5 rounded-md border border-input px-3 py-2 text-sm font-medium transition-colors hover:bg-muted has-checked:border-primary has-checked:bg-secondary has-checked:text-secondary-foreground has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-ring"
        >
          <input type="radio" value={value} className="size-4 shrink-0 accent-primary" {...register('taxRegime')} />
          {label}
        </label>
      ))}
    </fieldset>
  )
}

function Goal() {
  return (
    <FormField<Answers>
      name="goal"
      render={({ field }) => (
        <FormItem>
          <FormLabel>Che cosa vuoi ottenere per primo?</FormLabel>
          <FormControl>
            <Textarea {...field} rows={2} maxLength={500} className="min-h-20" />
          </FormControl>
          <FormDescription>Per esempio: rispondere ai preventivi in giornata.</FormDescription>
          <FormMessage />
        </FormItem>
      )}
    />
  )
}
