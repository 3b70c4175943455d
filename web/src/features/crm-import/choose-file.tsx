/** Where the file comes in: dropped, chosen, or shared by another application. */
import { clsx } from 'clsx'
import { FileSpreadsheetIcon } from 'lucide-react'
import { useEffect, useEffectEvent, useRef, useState } from 'react'

import { Button } from '@/components/ui/button'
import { Spinner } from '@/components/ui/spinner'
import type { ImportBatch } from '@/data/imports'
import { contactEndings, type ContactsFile } from '@/features/crm-import/contacts-file'
import { ReadingProgress } from '@/features/crm-import/reading-progress'
import { useContactsFile } from '@/features/crm-import/use-contacts-file'
import { sharedFile } from '@/lib/shared-pieces'

type Props = {
  resumed: ImportBatch | null
  /** A file that another application has shared. */
  sharedId: string | null
  onFile: (file: ContactsFile, isShared: boolean) => void
}

export function ChooseFile({ resumed, sharedId, onFile }: Props) {
  const field = useRef<HTMLInputElement>(null)
  const { read, problem, take, giveUp } = useContactsFile(onFile)
  const isReading = read !== null
  const isOver = useDropped((dropped) => void take(dropped))

  const takeShared = useEffectEvent(take)
  useEffect(() => {
    if (sharedId) void sharedFile(sharedId).then((file) => takeShared(file ?? undefined, true))
  }, [sharedId])

  return (
    <section
      aria-label="Scegli il file"
      className={clsx(
        'grid justify-items-center gap-3 rounded-xl border border-dashed px-5 py-10 text-center transition-colors',
        isOver ? 'border-primary bg-secondary' : 'border-input bg-card',
      )}
    >
      <FileSpreadsheetIcon aria-hidden className="size-7 text-muted-foreground" />
      {resumed ? (
        <p className="max-w-md font-medium text-pretty">
          Scegli di nuovo «{resumed.file_name}»: riprendiamo da dove eri, senza righe doppie
        </p>
      ) : (
        <p className="font-medium">{isOver ? 'Lascia qui il file' : 'Porta qui i tuoi contatti'}</p>
      )}
      <Button disabled={isReading} onClick={() => field.current?.click()}>
        {isReading && <Spinner aria-hidden />}
        Scegli il file
      </Button>
      <input
        ref={field}
        type="file"
        accept={`${contactEndings},.txt,text/csv,text/vcard`}
        aria-label="File di contatti"
        tabIndex={-1}
        className="sr-only"
        onChange={(event) => {
          void take(event.target.files?.[0])
          // Choosing the same file again must be a change.
          event.target.value = ''
        }}
      />
      <ReadingProgress read={read} problem={problem} onGiveUp={giveUp} />
      <p className="max-w-md text-xs text-pretty text-muted-foreground">
        Un foglio Excel (.xlsx), un CSV da Google, Outlook o dal tuo gestionale, oppure vCard dal telefono. Fino a
        50.000 righe e 50 MB (20 MB per Excel). Prima di importare vedi come leggiamo il file, e dopo puoi annullare
        tutto.
      </p>
    </section>
  )
}

/** Takes the first file that is dropped anywhere on the page; true while one hovers over it. */
function useDropped(onFile: (file: File | undefined) => void): boolean {
  const [isOver, setOver] = useState(false)
  const take = useEffectEvent(onFile)
  useEffect(() => {
    const stop = new AbortController()
    const { signal } = stop
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false
    const onDragOver = (event: DragEvent) => {
      if (!hasFiles(event)) return
      event.preventDefault()
      setOver(true)
    }
    const onDragLeave = (event: DragEvent) => {
      // Without a target the pointer has left the window.
      if (!event.relatedTarget) setOver(false)
    }
    const onDrop = (event: DragEvent) => {
      if (!hasFiles(event)) return
      event.preventDefault()
      setOver(false)
      take(event.dataTransfer?.files[0])
    }
    window.addEventListener('dragover', onDragOver, { signal })
    window.addEventListener('dragleave', onDragLeave, { signal })
    window.addEventListener('drop', onDrop, { signal })
    return () => stop.abort()
  }, [])
  return isOver
}
