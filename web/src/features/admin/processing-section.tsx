/** The record of processing activities of art. 30 GDPR: what the operator does with personal data, and why. */
import { useQuery } from '@tanstack/react-query'

import { processingQuery } from '@/data/admin-processing'
import { ProcessingDialog } from '@/features/admin/processing-dialog'
import { RecordSection } from '@/features/admin/record-section'
import { processingRoles } from '@/strings/processing'

export function ProcessingSection() {
  return (
    <RecordSection
      title="Registro dei trattamenti"
      query={useQuery(processingQuery())}
      failure="Non siamo riusciti a leggere il registro dei trattamenti."
      rowOf={(activity) => ({
        ...activity,
        processing: activity.name,
        processing_role: processingRoles[activity.role],
        personal_data: activity.data,
      })}
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
      changeLabel="Modifica"
      addLabel="Aggiungi un trattamento"
      Dialog={ProcessingDialog}
    />
  )
}
