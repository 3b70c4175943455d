/**
 * /onboarding: four short steps, each can be skipped (product 12).
 *
 * Where the person is lives in profiles.onboarding_step, so a reload or another device goes on from there.
 */
import { toast } from 'sonner'
import { Navigate } from 'react-router'

import { LoadError } from '@/components/load-error'
import { Logo } from '@/components/logo'
import { PageSpinner } from '@/components/page-spinner'
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
  if (profile?.onboarding_completed) return <Navigate to={paths.home} replace />
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
  const step = Math.min(profile.onboarding_step, LAST)

  function save(change: ProfileChange): void {
    update.mutate(change, { onError: () => toast.error('Non siamo riusciti a salvare. Riprova.') })
  }
  const goTo = (target: number) => save({ onboarding_step: target })
  const finish = () => save({ onboarding_step: LAST + 1, onboarding_completed: true })

  const isSaving = update.isPending
  const moves = {
    isSaving,
    onBack: () => goTo(step - 1),
    onSkip: () => goTo(step + 1),
    onContinue: () => goTo(step + 1),
  }
  return (
    <div className="column max-w-2xl py-4 sm:py-8">
      <header className="flex min-h-11 items-center justify-between gap-4">
        <Logo />
        {step < LAST && (
          <Button variant="ghost" disabled={isSaving} onClick={() => save({ onboarding_completed: true })}>
            Salta tutto
          </Button>
        )}
      </header>
      <main className="mt-6 grid gap-4">
        <div className="grid gap-2">
          <p className="tabular text-sm text-muted-foreground">
            Passo {step + 1} di {LAST + 1}
          </p>
          <Progress aria-label="Avanzamento" value={step + 1} max={LAST + 1} />
        </div>
        {step === 0 && (
          <WhoStep
            profile={profile}
            isSaving={isSaving}
            onSkip={moves.onSkip}
            onContinue={(answers) => save({ ...answers, onboarding_step: 1 })}
          />
        )}
        {step === 1 && <ImportStep {...moves} />}
        {step === 2 && <ChannelsStep {...moves} />}
        {step === LAST && <ResultStep profile={profile} isSaving={isSaving} onBack={moves.onBack} onFinish={finish} />}
      </main>
    </div>
  )
}
