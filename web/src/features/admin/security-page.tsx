/** /admin/security: the lints of the catalog and who may do more than others. */
import { AdminScreen } from '@/features/admin/admin-screen'
import { ReportTable } from '@/features/admin/report-table'
import { ReportView } from '@/features/admin/report-view'
import { RetentionTable } from '@/features/admin/retention-table'

const shown = ['lints', 'tables', 'admins', 'admins_without_factor', 'with_factor', 'actions'] as const

export function SecurityPage() {
  return (
    <AdminScreen
      title="Sicurezza"
      text="Le regole del database in uso e il secondo fattore. La prova di isolamento dal vivo, gli accessi falliti e il registro delle violazioni arriveranno qui."
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
      <RetentionTable />
    </AdminScreen>
  )
}
