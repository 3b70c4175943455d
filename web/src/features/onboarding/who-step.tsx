import { zodResolver } from '@hookform/resolvers/zod'
import { useForm } from 'react-hook-form'

import { ProfileFields } from '@/components/profile-fields'
import { Form } from '@/components/ui/form'
import { type Answers, answersOf, answersSchema, changeFrom } from '@/data/profile-answers'
import type { Profile, ProfileChange } from '@/data/profiles'
import { StepActions, StepCard } from '@/features/onboarding/step-card'
import { changed } from '@/lib/changed'

type Props = {
  profile: Profile
  isSaving: boolean
  onSkip: () => void
  onContinue: (change: ProfileChange) => void
}

export function WhoStep({ profile, isSaving, onSkip, onContinue }: Props) {
  const form = useForm<Answers>({
    resolver: zodResolver(answersSchema),
    values: answersOf(profile),
    // What was typed stays when another tab has written something else.
    resetOptions: { keepDirtyValues: true },
  })
  const known = changeFrom(answersOf(profile))
  return (
    <StepCard
      title="Chi sei"
      intro="Due minuti per conoscerci. Le risposte restano nel tuo profilo e le cambi quando vuoi."
    >
      <Form {...form}>
        <form noValidate onSubmit={form.handleSubmit((answers) => onContinue(changed(changeFrom(answers), known)))}>
          <fieldset disabled={isSaving} className="grid min-w-0 gap-5">
            <ProfileFields />
            <StepActions isSaving={isSaving} onSkip={onSkip} />
          </fieldset>
        </form>
      </Form>
    </StepCard>
  )
}
