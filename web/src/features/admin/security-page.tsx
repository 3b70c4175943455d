/** /admin/security: the lints of the catalog, who may do more than others, and the proof that accounts are apart. */
import { AdminScreen } from '@/features/admin/admin-screen'
import { BreachSection } from '@/features/admin/breach-section'
import { IsolationSection } from '@/features/admin/isolation-section'
import { KeySection } from '@/features/admin/key-section'
import { ProcessingSection } from '@/features/admin/processing-section'
import { ReportTable } from '@/features/admin/report-table'
import { ReportView } from '@/features/admin/report-view'
import { RetentionTable } from '@/features/admin/retention-table'

const shown = [
  'lints',
  'tables',
  'wrong_tries',
  'guessed',
  'admins',
  'admins_without_factor',
  'with_factor',
  'deletions',
  'actions',
  'keys_late',
] as const

export function SecurityPage() {
  return (
    <AdminScreen
      title="Sicurezza"
      text="Le regole del database in uso, il secondo fattore, i tentativi di accesso falliti, l’età delle chiavi, i registri delle violazioni e dei trattamenti."
    >
      <ReportView name="security" shown={shown}>
        {({ tables }) => (
          <ReportTable
            title="Regole violate"
            rows={tables.lints ?? []}
            shown={['lint', 'name']}
            empty="Ogni tabella, funzione e vista rispetta le regole."
          />
        )}
      </ReportView>
      <KeySection />
      <IsolationSection />
      <BreachSection />
      <ProcessingSection />
      <RetentionTable />
    </AdminScreen>
  )
}
