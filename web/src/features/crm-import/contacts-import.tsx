/** A file of contacts on its way in: what becomes of it, then its progress and its result. */
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'

import { useUser } from '@/data/auth-context'
import { contactsKey } from '@/data/contacts'
import { dismissImport, startImport, useImportRun } from '@/data/import-run'
import { type ImportBatch, importsKey } from '@/data/imports'
import type { ContactsFile } from '@/features/crm-import/contacts-file'
import { type Plan, Preparation } from '@/features/crm-import/preparation'
import { forgetReading, keepReading } from '@/features/crm-import/reading'
import { RunView } from '@/features/crm-import/run-view'

type Props = {
  file: ContactsFile | null
  resumed: ImportBatch | null
  onFile: (file: ContactsFile) => void
  /** The file is imported and put away, or given up. */
  onOver: () => void
  /** What to do after an import, instead of going on to the contacts. */
  next?: ReactNode
}

export function ContactsImport({ file, resumed, onFile, onOver, next }: Props) {
  const { id: userId } = useUser()
  const client = useQueryClient()
  const run = useImportRun()
  const [plan, setPlan] = useState<Plan | null>(null)

  // The server gives the import its name when it begins.
  const { batchId: begunId, state } = run ?? {}
  const reading = plan?.reading
  useEffect(() => {
    if (!begunId) return
    if (state === 'done') forgetReading(begunId)
    else if (reading) keepReading(begunId, reading)
  }, [begunId, state, reading])

  function start({ name: fileName, kind }: ContactsFile, begun: Plan) {
    setPlan(begun)
    const { rows, rejections } = begun.checked
    const job = {
      userId,
      fileName,
      kind,
      rows,
      rejected: rejections.length,
      match: begun.reading.match,
      consent: begun.consent,
      batchId: resumed?.id ?? null,
    }
    void startImport(job, () => {
      void client.invalidateQueries({ queryKey: importsKey })
      void client.invalidateQueries({ queryKey: contactsKey })
    })
  }

  function startOver() {
    dismissImport()
    setPlan(null)
    onOver()
  }

  if (run) return <RunView run={run} file={file} checked={plan?.checked ?? null} next={next} onDone={startOver} />
  if (!file) return null
  return (
    <Preparation
      key={`${file.id}-${resumed?.id}`}
      file={file}
      resumed={resumed}
      onFile={onFile}
      onCancel={startOver}
      onStart={(begun) => start(file, begun)}
    />
  )
}
