/**
 * /onboarding: four short steps, each can be skipped (PROFILE-02).
 *
 * Where the person is lives in profiles.onboarding_step, so a reload or another device goes on from there.
 */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Navigate } from 'react-router'
import { toast } from 'sonner'

import { LoadError } from '@/components/load-error'
import { Logo } from '@/components/logo'
import { PageSpinner } from '@/components/page-spinner'
import { PageTitle } from '@/components/page-title'
import { Button } from '@/components/ui/button'
import { Progress } from '@/components/ui/progress'
import { useAuth } from '@/data/auth-context'
import { type Profile, type ProfileChange, profileQuery, useUpdateProfile } from '@/data/profiles'
import { ChannelsStep } from '@/features/onboarding/channels-step'
import { ImportStep } from '@/features/onboarding/import-step'
import { ResultStep } from '@/features/onboarding/result-step'
import { WhoStep } from '@/features/onboarding/who-step'
import { paths } from '@/paths'

const LAST = 3

type Props = { intake: ReactNode }

export function OnboardingPage({ intake }: Props) {
  const { profile, profileError, reloadProfile } = useAuth()
  if (profile) return <Onboarding profile={profile} intake={intake} />
  return (
    <main className="column grid min-h-dvh max-w-2xl place-content-center">
      {profileError ? (
        <LoadError text="Non riusciamo a leggere il tuo profilo in questo momento." onRetry={reloadProfile} />
      ) : (
        <PageSpinner />
      )}
    </main>
  )
}

function Onboarding({ profile, intake }: Props & { profile: Profile }) {
  const client = useQueryClient()
  const update = useUpdateProfile()
  // Somebody who comes back later only looks at the answers again.
  const [isRevisit] = useState(profile.onboarding_completed)
  const [isDone, setDone] = useState(false)
  const [leadsTo, setLeadsTo] = useState<string>(paths.home)
  const step = isRevisit ? 0 : Math.min(profile.onboarding_step, LAST)

  /** Another tab may be further on than this one: only «Indietro» leads back. */
  async function unlessFurther(change: ProfileChange): Promise<ProfileChange> {
    if (change.onboarding_step === undefined || change.onboarding_step < step) return change
    const stored = await client.fetchQuery({ ...profileQuery(profile.user_id), staleTime: 0 })
    return { ...change, onboarding_step: Math.max(change.onboarding_step, stored?.onboarding_step ?? 0) }
  }
  const saving = useMutation({
    mutationFn: async (change: ProfileChange) => update.mutateAsync(await unlessFurther(change)),
    // Here, or in another tab.
    onSuccess: (saved) => setDone(saved.onboarding_completed),
    onError: () => toast.error('Non siamo riusciti a salvare. Riprova.'),
  })
  const isSaving = saving.isPending
  const goTo = (target: number, answers: ProfileChange = {}) => saving.mutate({ ...answers, onboarding_step: target })
  const leave = (change: ProfileChange) => saving.mutate({ ...change, onboarding_completed: true })
  const leaveFor = (path: string, change: ProfileChange = {}) => {
    setLeadsTo(path)
    leave(change)
  }

  if (isDone) return <Navigate to={leadsTo} replace />
  const skip = isRevisit ? () => setDone(true) : () => goTo(step + 1)
  const moves = { isSaving, onBack: () => goTo(step - 1), onSkip: skip, onContinue: () => goTo(step + 1) }
  return (
    <div className="column max-w-2xl py-4 sm:py-8">
      <PageTitle>{isRevisit ? 'La tua attività' : 'Per cominciare'}</PageTitle>
      <header className="flex min-h-11 items-center justify-between gap-4">
        <Logo />
        {!isRevisit && step < LAST && (
          <Button variant="ghost" className="-mr-4" disabled={isSaving} onClick={() => leave({})}>
            Salta tutto
          </Button>
        )}
      </header>
      <main className="mt-6 grid gap-4">
        {!isRevisit && <Position step={step} />}
        {step === 0 && (
          <WhoStep
            profile={profile}
            isSaving={isSaving}
            onSkip={moves.onSkip}
            onContinue={(answers) => (isRevisit ? leave(answers) : goTo(step + 1, answers))}
          />
        )}
        {step === 1 && (
          <ImportStep
            userId={profile.user_id}
            intake={intake}
            onArchive={() => leaveFor(paths.settingsData)}
            {...moves}
          />
        )}
        {step === 2 && <ChannelsStep {...moves} />}
        {step === LAST && (
          <ResultStep
            profile={profile}
            isSaving={isSaving}
            onBack={moves.onBack}
            onImport={() => goTo(1)}
            onFinish={(path = paths.home) => leaveFor(path, { onboarding_step: LAST + 1 })}
          />
        )}
      </main>
    </div>
  )
}

function Position({ step }: { step: number }) {
  return (
    <div className="grid gap-2">
      <p className="tabular text-sm text-muted-foreground">
        Passo {step + 1} di {LAST + 1}
      </p>
      <Progress aria-label="Avanzamento" value={step + 1} max={LAST + 1} />
    </div>
  )
}
