/** /admin/uptime: whether each part answers, and what everybody is told about it at /status. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'

import { LoadError } from '@/components/load-error'
import { IncidentList } from '@/components/service-status'
import { Button } from '@/components/ui/button'
import { Skeleton } from '@/components/ui/skeleton'
import { type Light, serviceStatusQuery, uptimeQuery, type Viewpoint } from '@/data/admin'
import { type Incident, type PartState, type ServiceStatus, worstState } from '@/data/service-status'
import { AdminScreen } from '@/features/admin/admin-screen'
import { IncidentDialog } from '@/features/admin/incident-dialog'
import { MeasuredLine } from '@/features/admin/measured-line'
import { ReportTable } from '@/features/admin/report-table'
import { ViewpointSection } from '@/features/admin/viewpoint-section'
import { paths } from '@/paths'
import { viewpointNames } from '@/strings/admin'
import { partName, partStates } from '@/strings/status'

const lights: Record<PartState, Light> = { up: 'ok', down: 'error', unknown: 'old' }

export function UptimePage() {
  const { data: status, isError: isStatusAway, refetch: readStatus } = useQuery(serviceStatusQuery())
  const { data: viewpoints, isError: areViewsAway, refetch: readViews } = useQuery(uptimeQuery())
  const isError = isStatusAway || areViewsAway
  const isThere = status && viewpoints
  return (
    <AdminScreen
      title="Disponibilità"
      text="Il worker chiede ogni minuto a ogni parte se risponde, e ogni cinque fa un percorso di prova. Una seconda macchina può fare lo stesso da fuori."
    >
      {isError && (
        <LoadError
          text="Non siamo riusciti a leggere lo stato."
          onRetry={() => void Promise.all([readStatus(), readViews()])}
        />
      )}
      {!isThere && !isError && <Skeleton className="h-72" />}
      {isThere && <Status status={status} viewpoints={viewpoints} />}
    </AdminScreen>
  )
}

function Status({ status, viewpoints }: { status: ServiceStatus; viewpoints: Viewpoint[] }) {
  const [written, setWritten] = useState<Incident | 'new'>()
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
      {status.checked_at && <MeasuredLine light={lights[worstState(status)]} at={status.checked_at} />}
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-6 xl:grid-cols-2">
        {viewpoints.map((view) => (
          <ViewpointSection key={view.viewpoint} view={view} today={status.today} />
        ))}
      </div>
      <ReportTable
        title="Disponibilità per parte"
        rows={viewpoints.flatMap(({ viewpoint, parts }) =>
          parts.map(({ part, state, took_ms, share_30, share_90, changed_at }) => ({
            name: partName(part),
            viewpoint: viewpointNames[viewpoint],
            outcome: partStates[state],
            took_ms,
            share_30,
            share_90,
            changed_at,
          })),
        )}
        shown={['name', 'viewpoint', 'outcome', 'took_ms', 'share_30', 'share_90', 'changed_at']}
        empty="Nessun controllo ancora: il worker li fa ogni minuto."
      />
      <section aria-labelledby="incidents" className="grid grid-cols-[minmax(0,1fr)] gap-3">
        <div className="flex flex-wrap items-center justify-between gap-2">
          <h2 id="incidents" className="text-base font-semibold">
            Incidenti
          </h2>
          <Button variant="outline" onClick={() => setWritten('new')}>
            Apri un incidente
          </Button>
        </div>
        <p className="text-sm text-muted-foreground">
          Si leggono nella{' '}
          <Link to={paths.status} className="text-primary underline underline-offset-4">
            pagina di stato
          </Link>
          , che è pubblica.
        </p>
        <IncidentList incidents={status.incidents} onUpdate={setWritten} />
      </section>
      {written && (
        <IncidentDialog
          incident={written === 'new' ? undefined : written}
          parts={status.parts.map(({ part }) => part)}
          onClose={() => setWritten(undefined)}
        />
      )}
    </div>
  )
}
