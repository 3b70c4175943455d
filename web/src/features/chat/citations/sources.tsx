/** «Fonti»: all that an answer stands on, beside the conversation where there is room, else in a sheet from below. */
import { BookOpenTextIcon, XIcon } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import { Link } from 'react-router'

import { Button } from '@/components/ui/button'
import { Sheet, SheetContent, SheetDescription, SheetTitle } from '@/components/ui/sheet'
import { TooltipProvider } from '@/components/ui/tooltip'
import type { ChatRef } from '@/data/chat'
import { refKinds } from '@/features/chat/citations/kinds'
import { recordPath } from '@/features/chat/citations/record-path'
import { RecordSheet } from '@/features/chat/citations/record-sheet'
import { SourcesContext, useSources } from '@/features/chat/citations/sources-context'
import { useMedia } from '@/lib/use-media'

type ProviderProps = { userId: string; children: ReactNode }

/** Around a conversation: keeps what is open beside it. */
export function SourcesProvider({ userId, children }: ProviderProps) {
  const [refs, showSources] = useState<readonly ChatRef[] | null>(null)
  const [record, openRecord] = useState<ChatRef | null>(null)
  const state = useMemo(() => ({ refs, showSources, openRecord }), [refs])
  return (
    <SourcesContext value={state}>
      <TooltipProvider delayDuration={200}>{children}</TooltipProvider>
      <RecordSheet userId={userId} record={record} onClose={() => openRecord(null)} />
    </SourcesContext>
  )
}

/** Under an answer; nothing when it cites nothing. */
export function SourcesButton({ refs }: { refs: readonly ChatRef[] }) {
  const { showSources } = useSources()
  if (refs.length === 0) return null
  return (
    <Button variant="ghost" size="sm" className="text-muted-foreground" onClick={() => showSources(refs)}>
      <BookOpenTextIcon aria-hidden /> Fonti ({refs.length})
    </Button>
  )
}

/** The panel itself: a column from 1280 px on, a sheet below. */
export function Sources() {
  const { refs, showSources } = useSources()
  const isWide = useMedia('(min-width: 80rem)')
  if (!refs) return null
  if (isWide)
    return (
      <aside
        aria-label="Fonti"
        className="grid w-80 shrink-0 grid-cols-1 content-start gap-3 overflow-y-auto border-l p-3"
      >
        <div className="flex items-center justify-between">
          <h2 className="text-base font-semibold">Fonti</h2>
          <Button variant="ghost" size="icon" aria-label="Chiudi le fonti" onClick={() => showSources(null)}>
            <XIcon aria-hidden />
          </Button>
        </div>
        <SourceList refs={refs} />
      </aside>
    )
  return (
    <Sheet open onOpenChange={(isOpen) => !isOpen && showSources(null)}>
      <SheetContent>
        <SheetTitle className="pr-10">Fonti</SheetTitle>
        <SheetDescription className="sr-only">I dati su cui si basa la risposta.</SheetDescription>
        <SourceList refs={refs} />
      </SheetContent>
    </Sheet>
  )
}

function SourceList({ refs }: { refs: readonly ChatRef[] }) {
  const { openRecord } = useSources()
  return (
    <ol className="divide-y rounded-md border bg-card">
      {refs.map((source) => {
        const { n, kind, label, place } = source
        const { label: kindLabel, icon: Icon } = refKinds[kind]
        const path = kind === 'document' ? recordPath(source) : null
        const content = (
          <>
            <Icon aria-hidden className="mt-0.5 size-4 shrink-0 text-muted-foreground" />
            <span className="grid min-w-0 flex-1 gap-0.5">
              <span className="font-medium break-words">
                {n}. {label}
              </span>
              <span className="text-xs text-muted-foreground">
                {kindLabel}
                {place && `, pagina ${place.page}`}
              </span>
              {place && <q className="line-clamp-3 break-words text-muted-foreground">{place.quote}</q>}
            </span>
          </>
        )
        const look =
          'flex min-h-11 w-full items-start gap-2.5 px-3 py-2.5 text-left text-sm hover:bg-muted focus-visible:-outline-offset-2'
        return (
          <li key={n}>
            {path ? (
              <Link to={path} className={look}>
                {content}
              </Link>
            ) : (
              <button type="button" className={look} onClick={() => openRecord(source)}>
                {content}
              </button>
            )}
          </li>
        )
      })}
    </ol>
  )
}
