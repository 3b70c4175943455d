/** /crm/importa: a file of contacts in, its progress, its result; the imports before it, each of which can be undone. */
import { useEffect, useState } from 'react'
import { useSearchParams } from 'react-router'

import { CrmHeader } from '@/components/crm-header'
import { PageTitle } from '@/components/page-title'
import { useUser } from '@/data/auth-context'
import { useImportRun } from '@/data/import-run'
import type { ImportBatch } from '@/data/imports'
import { CardExport } from '@/features/crm-import/card-export'
import { ChooseFile } from '@/features/crm-import/choose-file'
import type { ContactsFile } from '@/features/crm-import/contacts-file'
import { ContactsImport } from '@/features/crm-import/contacts-import'
import { FormerImports } from '@/features/crm-import/former-imports'
import { dropShared } from '@/lib/shared-pieces'

export default function ImportPage() {
  const { id: userId } = useUser()
  const run = useImportRun()
  const isUnderWay = run && run.state !== 'done' && run.state !== 'failed'
  const [file, setFile] = useState<ContactsFile | null>(null)
  const [resumed, setResumed] = useState<ImportBatch | null>(null)
  const [params, setParams] = useSearchParams()
  const sharedId = params.get('condiviso')
  const forgetSharedId = () => setParams({}, { replace: true })

  // Until this page has imported it a reload finds it again.
  const isImported = run?.state === 'done' && file !== null
  useEffect(() => {
    if (isImported && sharedId) void dropShared(sharedId)
  }, [isImported, sharedId])

  function startOver() {
    setFile(null)
    setResumed(null)
    // What was shared while another import was on the screen comes next.
    if (file) forgetSharedId()
  }

  return (
    <div className="column grid max-w-4xl grid-cols-[minmax(0,1fr)] gap-6 py-6 sm:py-8">
      <PageTitle>Importa contatti</PageTitle>
      <CrmHeader title="Importa contatti" />
      <ContactsImport file={file} resumed={resumed} onFile={setFile} onOver={startOver} />
      {!run && !file && (
        <ChooseFile
          resumed={resumed}
          sharedId={sharedId}
          onFile={(chosen, isShared) => {
            setFile(chosen)
            if (!isShared) forgetSharedId()
          }}
        />
      )}
      {!run && !file && <CardExport />}
      <FormerImports userId={userId} runningId={isUnderWay ? run.batchId : null} onResume={setResumed} />
    </div>
  )
}
