/** The newest error of a group: the lines of code it passed, as they were written where the build kept its maps. */
import { useQuery } from '@tanstack/react-query'

import { LoadError } from '@/components/load-error'
import { Sheet, SheetContent, SheetDescription, SheetTitle } from '@/components/ui/sheet'
import { Skeleton } from '@/components/ui/skeleton'
import { type ErrorFrame, type ErrorTrace, errorTraceQuery } from '@/data/error-traces'
import { cn } from '@/lib/cn'
import { dateAndTime } from '@/strings/dates'

type Props = { groupId: number; title: string; onClose: () => void }

export function TraceSheet({ groupId, title, onClose }: Props) {
  const { data: trace, isPending, isError, refetch } = useQuery(errorTraceQuery(groupId))
  return (
    <Sheet open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <SheetContent side="right" className="sm:max-w-2xl">
        <SheetTitle className="pr-10 text-base break-words">{title}</SheetTitle>
        <SheetDescription className="-mt-2 text-sm text-muted-foreground">
          {trace ? seen(trace) : 'L’ultimo errore del gruppo'}
        </SheetDescription>
        {isPending && <Skeleton aria-busy className="h-64" />}
        {isError && <LoadError text="Non siamo riusciti a leggere l’errore." onRetry={() => void refetch()} />}
        {trace === null && <p className="text-sm">Di questo gruppo non resta nessun errore da aprire.</p>}
        {trace && (
          <>
            <Frames title="Righe di codice" frames={trace.stack} release={trace.release} />
            {trace.components.length > 0 && (
              <Frames title="Componenti" frames={trace.components} release={trace.release} />
            )}
          </>
        )}
      </SheetContent>
    </Sheet>
  )
}

function seen({ at, release, browser, viewport }: ErrorTrace): string {
  const parts = [dateAndTime(at), release && `versione ${release}`, browser, viewport?.replace('x', ' × ')]
  return parts.filter(Boolean).join(' · ')
}

type FramesProps = { title: string; frames: ErrorFrame[]; release: string | null }

function Frames({ title, frames, release }: FramesProps) {
  const isUnmapped = frames.some(({ column, source }) => column && !source)
  // The first of ours says most: libraries come before it.
  const first = frames.findIndex(({ source }) => source && !source.file.includes('node_modules/'))
  return (
    <section aria-label={title} className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <h3 className="text-sm font-semibold">{title}</h3>
      {frames.length === 0 && (
        <p className="text-sm text-muted-foreground">L’errore non dice da quali righe è passato.</p>
      )}
      {isUnmapped && (
        <p role="status" className="rounded-md bg-warning-tint p-3 text-sm text-pretty">
          Manca la mappa {release ? `della versione ${release}` : 'di questa versione'}: dove non c’è, si vede il punto
          del file pubblicato.
        </p>
      )}
      <ol className="grid grid-cols-[minmax(0,1fr)] gap-1.5">
        {frames.map((frame, place) => (
          // oxlint-disable-next-line react/no-array-index-key -- the same line may come twice
          <li key={place}>
            <FrameLine frame={frame} isOpen={place === first} />
          </li>
        ))}
      </ol>
    </section>
  )
}

function FrameLine({ frame, isOpen }: { frame: ErrorFrame; isOpen: boolean }) {
  const { source } = frame
  const built = [frame.file, frame.line, ...(frame.column ? [frame.column] : [])].join(':')
  if (!source) {
    return (
      <p className="rounded-md border px-3 py-2 font-mono text-xs break-all">
        {built} {frame.name}
      </p>
    )
  }
  const place = (
    <>
      <span className="break-all">{`${source.file}:${source.line}:${source.column}`}</span>
      <span className="block break-all text-muted-foreground">{built}</span>
    </>
  )
  if (source.lines.length === 0) return <p className="rounded-md border px-3 py-2 font-mono text-xs">{place}</p>
  return (
    <details open={isOpen} className="rounded-md border font-mono text-xs">
      <summary className="min-h-11 cursor-pointer px-3 py-2">{place}</summary>
      {/* The arrow keys scroll it. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre tabIndex={0} aria-label={`Codice di ${source.file}`} role="group" className="overflow-x-auto border-t py-2">
        {source.lines.map(({ number, text }) => (
          <span
            key={number}
            className={cn('block w-max min-w-full px-3', number === source.line && 'bg-warning-tint font-semibold')}
          >
            {`${String(number).padStart(4)}  ${text}`}
          </span>
        ))}
      </pre>
    </details>
  )
}
