/** Where files come in: dropped anywhere on the page, chosen, pasted. `n` opens the choice. */
import { UploadCloudIcon } from 'lucide-react'
import { useEffect, useEffectEvent, useRef, useState } from 'react'

import { Button } from '@/components/ui/button'
import { cn } from '@/lib/cn'
import { acceptedEndings } from '@/lib/document-types'
import { useShortcut } from '@/lib/shortcut'

export function DropZone({ onFiles }: { onFiles: (files: File[]) => void }) {
  const field = useRef<HTMLInputElement>(null)
  const isOver = useIncoming(onFiles)
  useShortcut('n', () => field.current?.click())

  return (
    <section
      aria-label="Carica documenti"
      className={cn(
        'grid justify-items-center gap-3 rounded-xl border border-dashed border-input bg-card px-5 py-7 text-center transition-colors',
        isOver && 'border-solid border-primary bg-secondary',
      )}
    >
      <UploadCloudIcon aria-hidden className={cn('size-7 text-muted-foreground', isOver && 'text-primary')} />
      <p className="font-medium">
        <span className="hidden sm:inline">
          {isOver ? 'Lascia qui i file' : 'Trascina qui i tuoi documenti, o incollali'}
        </span>
        <span className="sm:hidden">Aggiungi i tuoi documenti</span>
      </p>
      <Button onClick={() => field.current?.click()}>Scegli i file</Button>
      <input
        ref={field}
        type="file"
        multiple
        accept={acceptedEndings}
        aria-label="File da caricare"
        tabIndex={-1}
        className="sr-only"
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])])
          // Choosing the same file again must be a change.
          event.target.value = ''
        }}
      />
      <p className="text-xs text-pretty text-muted-foreground">
        PDF, immagini, fatture XML e P7M, email EML, DOCX, TXT, ZIP. Fino a 50 MB ciascuno.
      </p>
    </section>
  )
}

/** Takes what is dropped anywhere on the page or pasted into it; true while files hover over it. */
function useIncoming(onFiles: (files: File[]) => void): boolean {
  const [isOver, setOver] = useState(false)
  const take = useEffectEvent((files: FileList | undefined) => {
    if (files && files.length > 0) onFiles([...files])
  })
  useEffect(() => {
    const onPaste = (event: ClipboardEvent) => take(event.clipboardData?.files)
    const onDragOver = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return
      event.preventDefault()
      setOver(true)
    }
    const onDragLeave = (event: DragEvent) => {
      // Without a target the pointer has left the window.
      if (!event.relatedTarget) setOver(false)
    }
    const onDrop = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return
      event.preventDefault()
      setOver(false)
      take(event.dataTransfer.files)
    }
    const stop = new AbortController()
    const { signal } = stop
    window.addEventListener('paste', onPaste, { signal })
    window.addEventListener('dragover', onDragOver, { signal })
    window.addEventListener('dragleave', onDragLeave, { signal })
    window.addEventListener('drop', onDrop, { signal })
    return () => stop.abort()
  }, [])
  return isOver
}
