/** /crm/importa: a file of contacts in, its progress, its result; the imports before it, each of which can be undone. */
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'

import { CrmHeader } from '@/components/crm-header'
import { PageTitle } from '@/components/page-title'
import { useUser } from '@/data/auth-context'
import { contactsKey } from '@/data/contacts'
import { dismissImport, startImport, useImportRun } from '@/data/import-run'
import { type ImportBatch, importsKey } from '@/data/imports'
import { CardExport } from '@/features/crm-import/card-export'
import { ChooseFile } from '@/features/crm-import/choose-file'
import type { ContactsFile } from '@/features/crm-import/contacts-file'
import { FormerImports } from '@/features/crm-import/former-imports'
import { type Plan, Preparation } from '@/features/crm-import/preparation'
import { forgetReading, keepReading } from '@/features/crm-import/reading'
import { RunView } from '@/features/crm-import/run-view'

export default function ImportPage() {
  const { id: userId } = useUser()
  const client = useQueryClient()
  const run = useImportRun()
  const isUnderWay = run && run.state !== 'done' && run.state !== 'failed'
  const [file, setFile] = useState<ContactsFile | null>(null)
  const [plan, setPlan] = useState<Plan | null>(null)
  const [resumed, setResumed] = useState<ImportBatch | null>(null)

  // The server gives the import its name when it begins.
  const { batchId: begunId, state } = run ?? {}
  const reading = plan?.reading
  useEffect(() => {
    if (!begunId) return
    if (state === 'done') forgetReading(begunId)
    else if (reading) keepReading(begunId, reading)
  }, [begunId, state, reading])

  function onStart(contactsFile: ContactsFile, begun: Plan) {
    setPlan(begun)
    const { consent } = begun
    const { match } = begun.reading
    const { name: fileName, kind } = contactsFile
    const { rows, rejections } = begun.checked
    const batchId = resumed?.id ?? null
    const job = {
      userId,
      fileName,
      kind,
      rows,
      rejected: rejections.length,
      match,
      consent,
      batchId,
    }
    void startImport(job, () => {
      void client.invalidateQueries({ queryKey: importsKey })
      void client.invalidateQueries({ queryKey: contactsKey })
    })
  }

  function startOver() {
    dismissImport()
    setFile(null)
    setPlan(null)
    setResumed(null)
  }

  return (
    <div className="column grid max-w-4xl grid-cols-[minmax(0,1fr)] gap-6 py-6 sm:py-8">
      <PageTitle>Importa contatti</PageTitle>
      <CrmHeader title="Importa contatti" />
      {run ? (
        <RunView run={run} file={file} checked={plan?.checked ?? null} onDone={startOver} />
      ) : file ? (
        <Preparation
          key={`${file.id}-${resumed?.id}`}
          file={file}
          resumed={resumed}
          onFile={setFile}
          onCancel={startOver}
          onStart={(begun) => onStart(file, begun)}
        />
      ) : (
        <ChooseFile resumed={resumed} onFile={setFile} />
      )}
      {!run && !file && <CardExport />}
      <FormerImports userId={userId} runningId={isUnderWay ? run.batchId : null} onResume={setResumed} />
    </div>
  )
}
