/** /admin/credit-audit: whether wallets agree with the ledger, what is owed, and what holds. */
import { useState } from 'react'

import { Button } from '@/components/ui/button'
import { useSweepHolds } from '@/data/admin'
import { AdminScreen } from '@/features/admin/admin-screen'
import { GuardrailSection } from '@/features/admin/guardrail-section'
import { MarginSection } from '@/features/admin/margin-section'
import { ReasonDialog } from '@/features/admin/reason-dialog'
import { ReportTable } from '@/features/admin/report-table'
import { ReportView } from '@/features/admin/report-view'

const shown = [
  'drifted',
  'liability_cents',
  'liability_credits',
  'open_holds',
  'old_holds',
  'used_credits',
  'negative_margins',
  'unknown_costs',
] as const

export function CreditsPage() {
  const [isAsking, setAsking] = useState(false)
  const sweep = useSweepHolds()
  return (
    <AdminScreen
      title="Crediti"
      text="Portafogli e registro confrontati ogni ora. I gruppi con meno di cinque persone non si vedono."
    >
      <GuardrailSection />
      <ReportView name="credits" shown={shown}>
        {({ tables }) => (
          <>
            <Button variant="outline" className="justify-self-start" onClick={() => setAsking(true)}>
              Libera le riserve scadute
            </Button>
            <ReportTable
              title="Crediti dovuti per mese di scadenza"
              rows={tables.liability ?? []}
              shown={['name', 'credits', 'cents']}
              empty="Nessun mese con almeno cinque persone."
            />
            <ReportTable
              title="Crediti usati in 30 giorni"
              rows={tables.used ?? []}
              shown={['name', 'credits', 'count']}
              empty="Nessuna azione con almeno cinque persone."
            />
            <MarginSection tables={tables} />
          </>
        )}
      </ReportView>
      {isAsking && (
        <ReasonDialog
          title="Libera le riserve scadute"
          text="I crediti riservati oltre il loro tempo tornano alle persone."
          done="Riserve scadute liberate"
          onAct={(reason) => sweep.mutateAsync({ reason })}
          onClose={() => setAsking(false)}
        />
      )}
    </AdminScreen>
  )
}
