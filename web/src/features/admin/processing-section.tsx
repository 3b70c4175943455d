/** The record of processing activities of art. 30 GDPR: what the operator does with personal data, and why. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'

import { LoadError } from '@/components/load-error'
import { Button } from '@/components/ui/button'
import { Skeleton } from '@/components/ui/skeleton'
import { type Processing, processingQuery } from '@/data/admin-processing'
import { ProcessingDialog } from '@/features/admin/processing-dialog'
import { ReportTable } from '@/features/admin/report-table'
import { processingRoles } from '@/strings/processing'

export function ProcessingSection() {
  const { data: activities, isPending, isError, refetch } = useQuery(processingQuery())
  const [written, setWritten] = useState<Processing | 'new'>()
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      {isPending && <Skeleton className="h-40" />}
      {isError && !activities && (
        <LoadError text="Non siamo riusciti a leggere il registro dei trattamenti." onRetry={() => void refetch()} />
      )}
      {activities && (
        <ReportTable
          title="Registro dei trattamenti"
          rows={activities.map((activity) => ({
            ...activity,
            processing: activity.name,
            processing_role: processingRoles[activity.role],
            personal_data: activity.data,
          }))}
          shown={[
            'processing',
            'processing_role',
            'purpose',
            'legal_basis',
            'subjects',
            'personal_data',
            'recipients',
            'transfers',
            'retention',
            'measures',
            'ended_on',
          ]}
          empty="Nessun trattamento registrato."
          action={{
            label: 'Modifica',
            isFor: () => true,
            onAct: ({ id }) => setWritten(activities.find((activity) => activity.id === id)),
          }}
        />
      )}
      <Button variant="outline" className="justify-self-start" onClick={() => setWritten('new')}>
        Aggiungi un trattamento
      </Button>
      {written && (
        <ProcessingDialog activity={written === 'new' ? undefined : written} onClose={() => setWritten(undefined)} />
      )}
    </div>
  )
}
