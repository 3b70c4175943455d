/** What a stranger reached of other people's rows: nothing, or the tables that are open. */
import { ReportSection } from '@/features/admin/report-section'
import { ReportTable } from '@/features/admin/report-table'

const shown = ['reached', 'attempts', 'proof_tables', 'empty_tables'] as const

export function IsolationSection() {
  return (
    <ReportSection
      name="isolation"
      title="Prova di isolamento"
      text="Nella copia ripristinata un account appena creato e un visitatore provano a leggere, scrivere, cambiare e cancellare le righe degli altri, tabella per tabella. Dove nessuno ha righe, la prova vale solo quando ce ne saranno."
      shown={shown}
      empty="Nessuna prova ancora: si fa insieme alla prova di ripristino, nella pagina Database."
    >
      {({ figures, tables }) => (
        <>
          {figures.rules_changed === 1 && (
            <p className="text-sm text-muted-foreground">
              Le regole del database sono cambiate dopo la prova: si rifà con la prossima copia.
            </p>
          )}
          {!!figures.forged && (
            <p role="alert" className="text-sm text-error">
              La firma di una prova non è valida: qualcuno ha cambiato la riga nel database.
            </p>
          )}
          <ReportTable
            title="Righe raggiunte"
            rows={tables.findings ?? []}
            shown={['name', 'verb', 'role', 'outcome']}
            empty="Nessuno ha raggiunto righe di altri."
          />
        </>
      )}
    </ReportSection>
  )
}
