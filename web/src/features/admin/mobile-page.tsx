/** /admin/mobile-qa: the devices of real visits, and the pages on phones as the last automated run found them. */
import { AdminScreen } from '@/features/admin/admin-screen'
import { QaMatrix } from '@/features/admin/qa-matrix'
import { ReportTable } from '@/features/admin/report-table'
import { ReportView } from '@/features/admin/report-view'

export function MobilePage() {
  return (
    <AdminScreen
      title="Mobile"
      text="Le pagine a 360, 390 e 768 px come le ha trovate l’ultima prova, e i dispositivi di chi ha accettato le statistiche. I gruppi con meno di cinque visite non si vedono."
    >
      <QaMatrix
        kind="mobile"
        title="Pagine sul telefono"
        empty="«Avvia prova» la chiede a una macchina che esegue ogni minuto «python -m scripts.qa_runner»: si prepara come dice supabase/README.md, «A test machine». Senza una macchina, «make qa send=1» misura le pagine e manda qui l’esito."
      />
      <h2 className="border-t pt-6 text-lg font-semibold">Visite vere</h2>
      <ReportView name="devices" shown={['device_visits', 'compact_share', 'visit_error_rate']}>
        {({ tables }) => (
          <ReportTable
            title="Dispositivi in 30 giorni"
            rows={tables.devices ?? []}
            shown={['viewport', 'system', 'visits', 'visit_share', 'error_rate', 'lcp', 'inp', 'cls']}
            empty="Nessun dispositivo con almeno cinque visite: servono visite con il consenso alle statistiche."
          />
        )}
      </ReportView>
    </AdminScreen>
  )
}
