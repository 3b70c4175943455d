/** Asks for an automated run, and says what became of the newest request. */
import { PlayIcon } from 'lucide-react'
import type { ReactNode } from 'react'

import { Button } from '@/components/ui/button'
import type { Light } from '@/data/admin'
import { isOpen, type QaKind, type QaRequest, type QaRun, useAskQa, useCancelQa } from '@/data/admin-qa'
import { LightLabel } from '@/features/admin/measured-line'
import { qaRequestText } from '@/strings/admin-qa'

const lights: Record<QaRequest['state'], Light> = {
  waiting: 'old',
  running: 'old',
  done: 'ok',
  failed: 'error',
  expired: 'warning',
}

type Props = {
  kind: QaKind
  request: QaRequest | null
  runs: QaRun[]
  /** Other buttons. */
  children: ReactNode
}

export function QaRequestBar({ kind, request, runs, children }: Props) {
  const ask = useAskQa()
  const cancel = useCancelQa()
  const isAsked = request !== null && isOpen(request)
  return (
    <div className="grid gap-2">
      <div className="flex flex-wrap gap-2">
        <Button disabled={isAsked || ask.isPending} onClick={() => ask.mutate(kind)}>
          <PlayIcon aria-hidden /> {kind === 'browser' && runs.length > 0 ? 'Ripeti prova' : 'Avvia prova'}
        </Button>
        {children}
      </div>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <div role="status" className="grid gap-1 text-sm text-pretty">
          {request && <LightLabel light={lights[request.state]} label={qaRequestText(request)} />}
          {request?.state === 'done' && <RunLine runs={runs.filter(({ request_id: id }) => id === request.id)} />}
        </div>
        {isAsked && (
          <Button variant="outline" disabled={cancel.isPending} onClick={() => cancel.mutate(request.id)}>
            Annulla <span className="sr-only">la prova</span>
          </Button>
        )}
      </div>
      {(request?.state === 'waiting' || (request?.state === 'expired' && !request.machine)) && (
        <p className="max-w-prose text-sm text-pretty text-muted-foreground">
          La prende una macchina che esegue ogni minuto «python -m scripts.qa_runner»: si prepara come dice
          supabase/README.md, «A test machine».
        </p>
      )}
    </div>
  )
}

/** What the run found, which is a row of «Ultime prove». */
function RunLine({ runs }: { runs: QaRun[] }) {
  if (runs.length === 0) return null
  const failed = runs.reduce((sum, run) => sum + run.failed, 0)
  return (
    <p className="text-muted-foreground">
      {failed === 0 ? 'Niente da guardare' : `${failed} ${failed === 1 ? 'controllo fallito' : 'controlli falliti'}`}:{' '}
      <a href="#ultime-prove" className="text-foreground underline">
        vedi «Ultime prove»
      </a>
    </p>
  )
}
