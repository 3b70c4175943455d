import { useQuery } from '@tanstack/react-query'

import { LoadError } from '@/components/load-error'
import { Skeleton } from '@/components/ui/skeleton'
import { notificationsQuery } from '@/data/notifications'
import type { Profile } from '@/data/profiles'
import { balanceQuery } from '@/data/wallet'
import { firstResult } from '@/features/onboarding/first-result'
import { StepActions, StepCard } from '@/features/onboarding/step-card'

type Props = { profile: Profile; isSaving: boolean; onBack: () => void; onFinish: () => void }

export function ResultStep({ profile, isSaving, onBack, onFinish }: Props) {
  return (
    <StepCard
      title="Primo risultato"
      intro="Che cosa sa già Socio di te: ogni riga viene dai tuoi dati, niente è inventato."
    >
      <Result profile={profile} />
      <StepActions isSaving={isSaving} onBack={onBack} onContinue={onFinish} label="Vai alla tua home" />
    </StepCard>
  )
}

function Result({ profile }: { profile: Profile }) {
  const balance = useQuery(balanceQuery(profile.user_id))
  const notifications = useQuery(notificationsQuery(profile.user_id))
  if (balance.data === undefined || notifications.data === undefined) {
    if (balance.isError || notifications.isError) {
      const retry = () => void Promise.all([balance.refetch(), notifications.refetch()])
      return <LoadError text="Non riusciamo a leggere i tuoi dati in questo momento." onRetry={retry} />
    }
    return <Skeleton aria-busy className="h-56" />
  }
  const { findings, nextStep } = firstResult({ profile, balance: balance.data, notifications: notifications.data })
  return (
    <div className="grid gap-4">
      <dl className="grid gap-px overflow-hidden rounded-md border bg-border">
        {findings.map(({ source, text }) => (
          <div key={source} className="grid gap-1 bg-card p-4 sm:grid-cols-[6rem_1fr] sm:items-baseline">
            <dt className="text-sm text-muted-foreground">{source}</dt>
            <dd className="tabular break-words">{text}</dd>
          </div>
        ))}
      </dl>
      <p className="rounded-md bg-secondary p-4 break-words text-secondary-foreground">{nextStep}</p>
    </div>
  )
}
