/** Backups that the worker keeps, and what the restore tests have shown. */
import { useState } from 'react'

import { Button } from '@/components/ui/button'
import { useRestoreTest } from '@/data/admin'
import { ReasonDialog } from '@/features/admin/reason-dialog'
import { ReportSection } from '@/features/admin/report-section'
import { ReportTable } from '@/features/admin/report-table'

const shown = ['backups', 'backup_age_h', 'backup_bytes', 'restore_age_h'] as const

export function BackupSection() {
  const [isAsking, setAsking] = useState(false)
  const test = useRestoreTest()
  return (
    <>
      <ReportSection
        name="backups"
        title="Copie di sicurezza"
        text="Il worker ne fa una al giorno. Una volta alla settimana ripristina l’ultima in un database di prova e confronta righe, file e portafogli."
        shown={shown}
        empty="Nessuna misura ancora: il worker guarda ogni ora."
      >
        {({ figures, tables }) =>
          figures.backups === 0 && tables.error?.length === 0 ? (
            <p className="text-sm text-muted-foreground">
              Nessuna copia fatta dal worker: imposta <code>SOCIO_BACKUPS</code>, meglio su un altro disco. Se le copie
              le fa qualcun altro, qui non si vedono.
            </p>
          ) : (
            <>
              {tables.error?.map(({ error }) => (
                <p key={String(error)} role="alert" className="text-sm text-error">
                  L’ultima copia non è riuscita: {String(error)}
                </p>
              ))}
              <ReportTable
                title="Prove di ripristino"
                rows={tables.tests ?? []}
                shown={[
                  'tested_at',
                  'outcome',
                  'backup_made_at',
                  'saved_rows',
                  'files',
                  'backup_bytes',
                  'took_s',
                  'is_genuine',
                ]}
                empty="Nessuna prova ancora."
              />
              <Button variant="outline" className="justify-self-start" onClick={() => setAsking(true)}>
                Prova adesso il ripristino
              </Button>
            </>
          )
        }
      </ReportSection>
      {isAsking && (
        <ReasonDialog
          title="Prova adesso il ripristino"
          text="L’ultima copia viene ripristinata in un database di prova, che poi sparisce. Serve spazio per un secondo database."
          done="Prova avviata: il risultato arriva qui"
          onAct={(reason) => test.mutateAsync({ reason })}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  )
}
