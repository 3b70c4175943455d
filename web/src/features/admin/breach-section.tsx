/** The register of breaches of personal data, with the 72 hours of those that are open. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'

import { LoadError } from '@/components/load-error'
import { Button } from '@/components/ui/button'
import { Skeleton } from '@/components/ui/skeleton'
import { type Breach, breachesQuery } from '@/data/admin-breaches'
import { BreachDialog } from '@/features/admin/breach-dialog'
import { ReportTable } from '@/features/admin/report-table'
import { breachRisks, breachState } from '@/strings/breaches'

export function BreachSection() {
  const { data: breaches, isPending, isError, refetch } = useQuery(breachesQuery())
  const [written, setWritten] = useState<Breach | 'new'>()
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      {isPending && <Skeleton className="h-40" />}
      {isError && !breaches && (
        <LoadError text="Non siamo riusciti a leggere il registro." onRetry={() => void refetch()} />
      )}
      {breaches && (
        <ReportTable
          title="Registro delle violazioni"
          rows={breaches.map((breach) => ({
            ...breach,
            breach: breach.title,
            outcome: breachState(breach),
            risk: breachRisks[breach.risk],
          }))}
          shown={['breach', 'outcome', 'found_at', 'risk', 'people', 'authority_told_at', 'people_told_at']}
          empty="Nessuna violazione registrata."
          action={{
            label: 'Aggiorna',
            isFor: () => true,
            onAct: ({ id }) => setWritten(breaches.find((breach) => breach.id === id)),
          }}
        />
      )}
      <Button variant="outline" className="justify-self-start" onClick={() => setWritten('new')}>
        Registra una violazione
      </Button>
      {written && (
        <BreachDialog breach={written === 'new' ? undefined : written} onClose={() => setWritten(undefined)} />
      )}
    </div>
  )
}
