/** The register of breaches of personal data, with the 72 hours of those that are open. */
import { useQuery } from '@tanstack/react-query'

import { breachesQuery } from '@/data/admin-breaches'
import { BreachDialog } from '@/features/admin/breach-dialog'
import { RecordSection } from '@/features/admin/record-section'
import { breachRisks, breachState } from '@/strings/breaches'

export function BreachSection() {
  return (
    <RecordSection
      title="Registro delle violazioni"
      query={useQuery(breachesQuery())}
      failure="Non siamo riusciti a leggere il registro."
      rowOf={(breach) => ({
        ...breach,
        breach: breach.title,
        outcome: breachState(breach),
        risk: breachRisks[breach.risk],
      })}
      shown={['breach', 'outcome', 'found_at', 'risk', 'people', 'authority_told_at', 'people_told_at']}
      empty="Nessuna violazione registrata."
      changeLabel="Aggiorna"
      addLabel="Registra una violazione"
      Dialog={BreachDialog}
    />
  )
}
