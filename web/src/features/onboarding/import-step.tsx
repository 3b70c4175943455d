/** Step 2: a file comes in right here, or the sample year of an imaginary freelancer. */
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { toast } from 'sonner'

import { Button } from '@/components/ui/button'
import { Spinner } from '@/components/ui/spinner'
import { hasDemoDataQuery, useDemoData } from '@/data/demo-data'
import { StepActions, StepCard } from '@/features/onboarding/step-card'

type Props = {
  userId: string
  /** Where files come in: of contacts and of documents, which are other features. */
  intake: ReactNode
  isSaving: boolean
  onBack: () => void
  onSkip: () => void
  onContinue: () => void
  /** Leaves for the page where an archive of Socio comes in: it brings the answers along. */
  onArchive: () => void
}

export function ImportStep({ userId, intake, onArchive, ...actions }: Props) {
  return (
    <StepCard title="Importa" intro="Porta qui contatti e fatture: alla fine Socio ti dice la prima cosa utile.">
      {intake}
      <Samples userId={userId} />
      <p className="text-sm text-pretty text-muted-foreground">
        Usavi già Socio altrove?{' '}
        <Button variant="link" className="h-auto p-0" disabled={actions.isSaving} onClick={onArchive}>
          Importa il tuo archivio
        </Button>
      </p>
      <StepActions {...actions} />
    </StepCard>
  )
}

function Samples({ userId }: { userId: string }) {
  const { data: isThere = false, isPending } = useQuery(hasDemoDataQuery(userId))
  const samples = useDemoData(() => toast.error('Non siamo riusciti a cambiare i dati di esempio. Riprova.'))
  // There from the first moment: what came later would push «Continua» away from under a click.
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 text-sm">
      <p className="text-pretty text-muted-foreground">
        {isThere
          ? 'Ci sono i dati di esempio: un’attività inventata, che togli quando vuoi.'
          : 'Non hai niente sottomano? Prova con un’attività inventata, che togli con un clic.'}
      </p>
      <Button
        variant="outline"
        size="sm"
        disabled={isPending || samples.isPending}
        onClick={() => samples.mutate(!isThere)}
      >
        {samples.isPending && <Spinner aria-hidden />}
        {isThere ? 'Togli i dati di esempio' : 'Usa dati di esempio'}
      </Button>
    </div>
  )
}
