/** /admin/database-health: the database by its own statistics, its backups and the tests of them. */
import { AdminScreen } from '@/features/admin/admin-screen'
import { BackupSection } from '@/features/admin/backup-section'
import { ReportTable } from '@/features/admin/report-table'
import { ReportView } from '@/features/admin/report-view'

const shown = [
  'size_bytes',
  'cache_hit',
  'connections',
  'max_connections',
  'longest_transaction_s',
  'blocked',
  'xid_age',
  'slot_lag_bytes',
] as const

export function DatabasePage() {
  return (
    <AdminScreen title="Database" text="Spazio, memoria, connessioni, manutenzione e copie di sicurezza.">
      <ReportView name="database" shown={shown}>
        {({ tables }) => (
          <>
            <ReportTable
              title="Tabelle più grandi"
              rows={tables.largest ?? []}
              shown={['name', 'size_bytes', 'rows', 'dead_rows', 'vacuumed_at', 'analyzed_at']}
              empty="Nessuna tabella."
            />
            <ReportTable
              title="Indici mai usati"
              rows={tables.unused_indexes ?? []}
              shown={['name', 'size_bytes']}
              empty="Ogni indice è stato usato."
            />
            <ReportTable
              title="Slot di replica"
              rows={tables.slots ?? []}
              shown={['name', 'active', 'lag_bytes']}
              empty="Nessuno slot: la replica non è in uso."
            />
          </>
        )}
      </ReportView>
      <BackupSection />
    </AdminScreen>
  )
}
