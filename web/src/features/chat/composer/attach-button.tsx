import { PaperclipIcon } from 'lucide-react'
import { useEffect, useEffectEvent, useRef } from 'react'

import { Button } from '@/components/ui/button'
import { acceptedEndings } from '@/lib/document-types'

type Props = { isFull: boolean; onFiles: (files: File[]) => void }

/** Files by choice, or dropped anywhere on the page. */
export function AttachButton({ isFull, onFiles }: Props) {
  const field = useRef<HTMLInputElement>(null)
  useDrop(onFiles)
  return (
    <>
      <Button
        variant="ghost"
        size="icon"
        aria-label="Allega documenti"
        title="Allega documenti"
        disabled={isFull}
        onClick={() => field.current?.click()}
      >
        <PaperclipIcon aria-hidden />
      </Button>
      <input
        ref={field}
        type="file"
        multiple
        accept={acceptedEndings}
        aria-label="Documenti da allegare"
        tabIndex={-1}
        className="sr-only"
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])])
          // Choosing the same file again must be a change.
          event.target.value = ''
        }}
      />
    </>
  )
}

function useDrop(onFiles: (files: File[]) => void): void {
  const take = useEffectEvent(onFiles)
  useEffect(() => {
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false
    const onDragOver = (event: DragEvent) => hasFiles(event) && event.preventDefault()
    const onDrop = (event: DragEvent) => {
      if (!hasFiles(event)) return
      event.preventDefault()
      take([...(event.dataTransfer?.files ?? [])])
    }
    const { signal, abort } = withSignal()
    window.addEventListener('dragover', onDragOver, { signal })
    window.addEventListener('drop', onDrop, { signal })
    return abort
  }, [])
}

function withSignal() {
  const stop = new AbortController()
  return { signal: stop.signal, abort: () => stop.abort() }
}
