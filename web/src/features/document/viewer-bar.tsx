/** Above the pages: which page, how large, and what to search for in them. */
import { ChevronDownIcon, ChevronUpIcon, MoveHorizontalIcon, SearchIcon, ZoomInIcon, ZoomOutIcon } from 'lucide-react'
import { type KeyboardEvent, type RefObject, useState } from 'react'

import { Button } from '@/components/ui/button'
import { Input } from '@/components/ui/input'

type Props = {
  page: number
  count: number
  zoom: number
  search: RefObject<HTMLInputElement | null>
  find: Find
  onPage: (page: number) => void
  onZoom: (zoom: number) => void
}

/** The search inside of the document. */
export type Find = {
  text: string
  /** Which hit is looked at, from 0. */
  at: number
  count: number
  isSearching: boolean
  onText: (text: string) => void
  onMove: (step: 1 | -1) => void
}

const STEP = 1.25
const LEAST = 0.5
const MOST = 4

export function ViewerBar({ page, count, zoom, search, find, onPage, onZoom }: Props) {
  return (
    <div
      role="toolbar"
      aria-label="Pagine del documento"
      className="flex flex-wrap items-center gap-x-2 gap-y-1 border-b bg-card p-1.5"
    >
      <PageField key={page} page={page} count={count} onPage={onPage} />
      <div className="flex">
        <Button
          variant="ghost"
          size="icon"
          aria-label="Più piccolo"
          disabled={zoom <= LEAST}
          onClick={() => onZoom(Math.max(LEAST, zoom / STEP))}
        >
          <ZoomOutIcon aria-hidden />
        </Button>
        <Button
          variant="ghost"
          size="icon"
          aria-label="Più grande"
          disabled={zoom >= MOST}
          onClick={() => onZoom(Math.min(MOST, zoom * STEP))}
        >
          <ZoomInIcon aria-hidden />
        </Button>
        <Button
          variant="ghost"
          size="icon"
          aria-label="Larghezza intera"
          disabled={zoom === 1}
          onClick={() => onZoom(1)}
        >
          <MoveHorizontalIcon aria-hidden />
        </Button>
      </div>
      <FindField search={search} find={find} />
    </div>
  )
}

function PageField({ page, count, onPage }: Pick<Props, 'page' | 'count' | 'onPage'>) {
  const [typed, setTyped] = useState(String(page))

  function go() {
    const wanted = Math.round(Number(typed))
    if (wanted >= 1 && wanted <= count && wanted !== page) onPage(wanted)
    else setTyped(String(page))
  }

  return (
    <div className="flex items-center gap-1.5 text-sm whitespace-nowrap tabular">
      <Input
        aria-label="Pagina"
        inputMode="numeric"
        className="w-14 px-2 text-right text-sm"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={go}
        onKeyDown={(event) => event.key === 'Enter' && go()}
      />
      di {count}
    </div>
  )
}

function FindField({ search, find }: Pick<Props, 'search' | 'find'>) {
  function onKeyDown(event: KeyboardEvent<HTMLInputElement>) {
    if (event.key === 'Enter') find.onMove(event.shiftKey ? -1 : 1)
    else if (event.key === 'Escape') {
      // The first one leaves the search, the next one the page.
      event.stopPropagation()
      find.onText('')
      event.currentTarget.blur()
    } else return
    event.preventDefault()
  }

  return (
    <div className="flex min-w-0 flex-1 basis-56 items-center">
      <div className="relative min-w-0 flex-1">
        <SearchIcon aria-hidden className="absolute top-1/2 left-3 size-4 -translate-y-1/2 text-muted-foreground" />
        <Input
          ref={search}
          type="search"
          aria-label="Cerca nel documento"
          aria-keyshortcuts="/"
          placeholder="Cerca nel documento"
          className="pl-9 text-sm"
          maxLength={200}
          value={find.text}
          onChange={(event) => find.onText(event.target.value)}
          onKeyDown={onKeyDown}
        />
      </div>
      <p role="status" className="px-2 text-sm whitespace-nowrap text-muted-foreground tabular">
        {told(find)}
      </p>
      {find.count > 1 && (
        <>
          <Button
            variant="ghost"
            size="icon"
            aria-label="Risultato precedente"
            aria-keyshortcuts="Shift+N"
            onClick={() => find.onMove(-1)}
          >
            <ChevronUpIcon aria-hidden />
          </Button>
          <Button
            variant="ghost"
            size="icon"
            aria-label="Risultato successivo"
            aria-keyshortcuts="n"
            onClick={() => find.onMove(1)}
          >
            <ChevronDownIcon aria-hidden />
          </Button>
        </>
      )}
    </div>
  )
}

function told({ text, at, count, isSearching }: Find): string {
  if (!text.trim() || isSearching) return ''
  return count === 0 ? 'Nessun risultato' : `${at + 1} di ${count}`
}
