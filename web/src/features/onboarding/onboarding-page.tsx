/**
 * /onboarding: four short steps, each can be skipped (product 12).
 *
 * Where the person is lives in profiles.onboarding_step, so a reload or another device goes on from there.
 */
import { useState } from 'react'
import { Navigate } from 'react-router'
import { toast } from 'sonner'

import { LoadError } from '@/components/load-error'
import { Logo } from '@/components/logo'
import { PageSpinner } from '@/components/page-spinner'
import { PageTitle } from '@/components/page-title'
import { Button } from '@/components/ui/button'
import { Progress } from '@/components/ui/progress'
import { useAuth } from '@/data/auth-context'
import { type Profile, type ProfileChange, useUpdateProfile } from '@/data/profiles'
import { ChannelsStep, ImportStep } from '@/features/onboarding/plain-steps'
import { ResultStep } from '@/features/onboarding/result-step'
import { WhoStep } from '@/features/onboarding/who-step'
import { paths } from '@/paths'

const LAST = 3

export default function OnboardingPage() {
  const { profile, profileError, reloadProfile } = useAuth()
  if (profile) return <Onboarding profile={profile} />
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

function Onboarding({ profile }: { profile: Profile }) {
  const update = useUpdateProfile()
  // Somebody who comes back later only looks at the answers again.
  const [isRevisit] = useState(profile.onboarding_completed)
  const [isDone, setDone] = useState(false)
  const step = isRevisit ? 0 : Math.min(profile.onboarding_step, LAST)

  function save(change: ProfileChange, isLast = false): void {
    update.mutate(change, {
      onSuccess: () => setDone(isLast),
      onError: () => toast.error('Non siamo riusciti a salvare. Riprova.'),
    })
  }
  const goTo = (target: number) => save({ onboarding_step: target })
  const leave = (change: ProfileChange) => save({ ...change, onboarding_completed: true }, true)

  if (isDone) return <Navigate to={paths.home} replace />
  const isSaving = update.isPending
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
            onContinue={(answers) => (isRevisit ? leave(answers) : save({ ...answers, onboarding_step: 1 }))}
          />
        )}
        {step === 1 && <ImportStep {...moves} />}
        {step === 2 && <ChannelsStep {...moves} />}
        {step === LAST && (
          <ResultStep
            profile={profile}
            isSaving={isSaving}
            onBack={moves.onBack}
            onFinish={() => leave({ onboarding_step: LAST + 1 })}
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
