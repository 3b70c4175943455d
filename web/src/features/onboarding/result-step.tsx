import { useQuery } from '@tanstack/react-query'
import { CheckIcon } from 'lucide-react'
import { useEffect, useEffectEvent } from 'react'

import { LoadError } from '@/components/load-error'
import { Button } from '@/components/ui/button'
import { Skeleton } from '@/components/ui/skeleton'
import { Spinner } from '@/components/ui/spinner'
import { contactCountsQuery } from '@/data/contacts'
import { queueQuery } from '@/data/document-queue'
import { isBusy } from '@/data/documents'
import { homeQuery } from '@/data/home'
import { useImportRun } from '@/data/import-run'
import { firstDueQuery } from '@/data/invoices'
import type { Profile } from '@/data/profiles'
import { useUploads } from '@/data/uploads'
import { firstResult } from '@/features/onboarding/first-result'
import { OwnParty } from '@/features/onboarding/own-party'
import { StepActions, StepCard } from '@/features/onboarding/step-card'
import { countText } from '@/strings/home'

/** While something is still coming in the result is asked for again. */
const BUSY_POLL_MS = 2_000

type Props = {
  profile: Profile
  isSaving: boolean
  onBack: () => void
  onImport: () => void
  /** Without a path: to the home screen. */
  onFinish: (path?: string) => void
}

export function ResultStep({ profile, isSaving, onBack, onImport, onFinish }: Props) {
  const { user_id: userId } = profile
  const { data: documents = [] } = useQuery(queueQuery(userId))
  const reading = documents.filter(({ state }) => isBusy(state)).length
  const sending = useUploads().filter(({ state }) => state !== 'failed').length
  const run = useImportRun()
  const isImporting = run !== null && run.state !== 'done' && run.state !== 'failed'
  const isBusyNow = reading + sending > 0 || isImporting
  return (
    <StepCard title="Primo risultato" intro="Ogni parola viene dai tuoi dati: niente è inventato, e non costa crediti.">
      <OwnParty profile={profile} isBusy={isBusyNow} />
      <Result
        userId={userId}
        isBusy={isBusyNow}
        isSaving={isSaving}
        onImport={onImport}
        onOpen={(path) => onFinish(path)}
      />
      {isBusyNow && (
        <p role="status" className="flex items-center gap-2 text-sm text-muted-foreground">
          <Spinner aria-hidden />
          {isImporting
            ? 'Sto ancora importando i contatti: il risultato si aggiorna da solo.'
            : `Sto ancora leggendo ${countText(reading + sending, 'documento', 'documenti')}: il risultato si aggiorna da solo.`}
        </p>
      )}
      <StepActions isSaving={isSaving} onBack={onBack} onContinue={() => onFinish()} label="Vai alla tua home" />
    </StepCard>
  )
}

type ResultProps = {
  userId: string
  isBusy: boolean
  isSaving: boolean
  onImport: () => void
  onOpen: (path: string) => void
}

function Result({ userId, isBusy: isBusyNow, isSaving, onImport, onOpen }: ResultProps) {
  const often = isBusyNow && { refetchInterval: BUSY_POLL_MS }
  const home = useQuery({ ...homeQuery(userId), ...often })
  const contacts = useQuery({ ...contactCountsQuery(userId), ...often })
  const firstDue = useQuery({ ...firstDueQuery(userId), ...often })
  const refetch = useEffectEvent(() => Promise.all([home, contacts, firstDue].map((query) => query.refetch())))
  // What came in last is newer than the last answer.
  useEffect(() => {
    if (!isBusyNow) void refetch()
  }, [isBusyNow])
  if (!home.data || !contacts.data || firstDue.data === undefined) {
    if (home.isError || contacts.isError || firstDue.isError) {
      const retry = () => void Promise.all([home, contacts, firstDue].map((query) => query.refetch()))
      return <LoadError text="Non riusciamo a leggere i tuoi dati in questo momento." onRetry={retry} />
    }
    return <Skeleton aria-busy className="h-56" />
  }
  const { sentence, action, facts } = firstResult({
    home: home.data,
    contacts: contacts.data,
    firstDue: firstDue.data,
  })
  return (
    <div className="grid justify-items-start gap-4 rounded-md bg-secondary p-5 text-secondary-foreground">
      <p className="font-display text-2xl text-balance break-words tabular">{sentence}</p>
      {action ? (
        <Button disabled={isSaving} onClick={() => onOpen(action.path)}>
          {action.label}
        </Button>
      ) : (
        !isBusyNow && (
          <Button variant="outline" disabled={isSaving} onClick={onImport}>
            Porta un file
          </Button>
        )
      )}
      {facts.length > 0 && (
        <ul className="flex flex-wrap gap-x-5 gap-y-1 text-sm tabular">
          {facts.map((fact) => (
            <li key={fact} className="flex items-center gap-1.5">
              <CheckIcon aria-hidden className="size-4 text-primary" />
              {fact}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
