/** /admin/browser-testing: the pages in each browser as automated runs found them, and the browsers of real visits. */
import { AdminScreen } from '@/features/admin/admin-screen'
import { QaMatrix } from '@/features/admin/qa-matrix'
import { ReportTable } from '@/features/admin/report-table'
import { ReportView } from '@/features/admin/report-view'

export function BrowsersPage() {
  return (
    <AdminScreen
      title="Browser"
      text="Le pagine browser per browser come le hanno trovate le ultime prove, e i browser di chi ha accettato le statistiche: famiglia e versione, da cinque visite in su."
    >
      <QaMatrix
        kind="browser"
        title="Pagine nei browser"
        empty="«Avvia prova» la chiede a una macchina che esegue ogni minuto «python -m scripts.qa_runner»: si prepara come dice supabase/README.md, «A test machine». Senza una macchina, «make browsers send=1» prova Firefox e WebKit, «make qa send=1» Chromium, e mandano qui l’esito."
      />
      <h2 className="border-t pt-6 text-lg font-semibold">Visite vere</h2>
      <ReportView
        name="devices"
        shown={[
          'device_visits',
          'unsupported_share',
          'unsupported_people',
          'unsupported_people_share',
          'unsupported_revenue_cents',
        ]}
      >
        {({ tables }) => (
          <ReportTable
            title="Browser in 30 giorni"
            rows={tables.browsers ?? []}
            shown={[
              'browser',
              'browser_version',
              'visits',
              'visit_share',
              'error_rate',
              'push',
              'speech',
              'opfs',
              'is_supported',
            ]}
            empty="Nessun browser con almeno cinque visite: servono visite con il consenso alle statistiche."
          />
        )}
      </ReportView>
    </AdminScreen>
  )
}
