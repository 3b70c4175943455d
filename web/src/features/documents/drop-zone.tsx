/** Where files come in: dropped anywhere on the page, chosen, pasted, photographed. `n` opens the choice. */
import { CameraIcon, UploadCloudIcon } from 'lucide-react'
import { format } from 'date-fns'
import { type ChangeEvent, type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react'

import { Button } from '@/components/ui/button'
import { cn } from '@/lib/cn'
import { acceptedEndings } from '@/lib/document-types'
import { useShortcut } from '@/lib/shortcut'

type Props = {
  /** The field of the choice, for a button elsewhere. */
  field: RefObject<HTMLInputElement | null>
  onFiles: (files: File[]) => void
  /** What is taken besides documents: the endings for the choice, and how they are called. */
  more?: { endings: string; title: string; text: string }
}

export function DropZone({ field, onFiles, more }: Props) {
  const camera = useRef<HTMLInputElement>(null)
  const isOver = useIncoming(onFiles)
  useShortcut('n', () => field.current?.click())

  const onChange = (name?: (file: File) => string) => (event: ChangeEvent<HTMLInputElement>) => {
    const files = [...(event.target.files ?? [])]
    onFiles(name ? files.map((file) => new File([file], name(file), { type: file.type })) : files)
    // Choosing the same file again must be a change.
    event.target.value = ''
  }

  return (
    <section
      aria-label="Carica documenti"
      className={cn(
        'flex flex-wrap items-center justify-center gap-x-4 gap-y-3 rounded-xl border border-dashed border-input bg-card px-5 py-4 transition-colors sm:justify-between',
        isOver && 'border-solid border-primary bg-secondary',
      )}
    >
      <div className="flex min-w-0 items-center gap-4 max-sm:hidden">
        <UploadCloudIcon
          aria-hidden
          className={cn('size-7 shrink-0 text-muted-foreground', isOver && 'text-primary')}
          strokeWidth={1.5}
        />
        <div className="grid min-w-0">
          <p className="font-medium">
            {isOver ? 'Lascia qui i file' : (more?.title ?? 'Trascina qui i tuoi documenti, o incollali')}
          </p>
          <Taken text={more?.text} />
        </div>
      </div>
      <div className="flex flex-wrap justify-center gap-2 max-sm:w-full">
        <Button className="max-sm:flex-1" onClick={() => field.current?.click()}>
          Scegli i file
        </Button>
        {/* Where a finger points there is mostly a camera. */}
        <Button
          variant="outline"
          className="hidden max-sm:flex-1 pointer-coarse:inline-flex"
          onClick={() => camera.current?.click()}
        >
          <CameraIcon aria-hidden /> Scatta una foto
        </Button>
      </div>
      <div className="sm:hidden">
        <Taken text={more?.text} />
      </div>
      <input
        ref={field}
        type="file"
        multiple
        accept={more ? `${more.endings},${acceptedEndings}` : acceptedEndings}
        aria-label="File da caricare"
        tabIndex={-1}
        className="sr-only"
        onChange={onChange()}
      />
      <input
        ref={camera}
        type="file"
        accept="image/*"
        capture="environment"
        aria-label="Foto da caricare"
        tabIndex={-1}
        className="sr-only"
        onChange={onChange(photoName)}
      />
    </section>
  )
}

function Taken({ text = 'PDF, immagini, fatture XML e P7M, email EML, DOCX, TXT, ZIP. Fino a 50 MB ciascuno.' }) {
  return <p className="text-xs text-pretty text-muted-foreground">{text}</p>
}

/** Cameras call every photo «image.jpg». */
const photoName = ({ name }: File) =>
  `Foto ${format(new Date(), 'yyyy-MM-dd HH.mm.ss')}${/\.[A-Za-z0-9]+$/.exec(name)?.[0] ?? '.jpg'}`

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
