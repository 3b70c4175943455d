import { zodResolver } from '@hookform/resolvers/zod'
import { useForm } from 'react-hook-form'

import { ProfileFields } from '@/components/profile-fields'
import { Form } from '@/components/ui/form'
import { type Answers, answersOf, answersSchema, changeFrom } from '@/data/profile-answers'
import type { Profile, ProfileChange } from '@/data/profiles'
import { StepActions, StepCard } from '@/features/onboarding/step-card'

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
            <ProfileFields />
            <StepActions isSaving={isSaving} onSkip={onSkip} />
          </fieldset>
        </form>
      </Form>
    </StepCard>
  )
}
