/** The search inside of a document, and what is looked at: a hit, or a place that something else pointed to. */
import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useMemo, useState } from 'react'
import { useSearchParams } from 'react-router'

import { boxesQuery, type Hit, hitsQuery } from '@/data/document'
import { boxOf, type Mark, type Place } from '@/features/document/places'
import type { Find } from '@/features/document/viewer-bar'

const placeOf = ({ page, box, word_from: from, word_to: to }: Hit): Place => {
  const area = boxOf(box)
  return { page, boxes: area ? [area] : [], span: [from, to] }
}

type Sight = {
  find: Find
  target: Place | null
  marksOf: (page: number) => Mark[]
  show: (place: Place) => void
}

/** The passage that a citation points to: `?p=` is its page, `?parole=3-12` its words by their number. */
function citedIn(params: URLSearchParams): { page: number; span: readonly [number, number] } | null {
  const page = Number(params.get('p'))
  const [, from, to] = /^(\d{1,6})-(\d{1,6})$/.exec(params.get('parole') ?? '') ?? []
  return page > 0 && from && to ? { page, span: [Number(from), Number(to)] } : null
}

/** What a citation points to: its page at once, its place when it is known. */
function useCited(documentId: string): Place | null {
  const [params] = useSearchParams()
  const [cited] = useState(() => citedIn(params))
  const query = boxesQuery(documentId, cited?.page ?? 0, cited?.span ?? [0, 0])
  const { data: boxes } = useQuery({ ...query, enabled: cited !== null })
  return useMemo(() => cited && { ...cited, boxes: boxes ?? [] }, [cited, boxes])
}

/** `?q=` is what is searched for, `?p=` the page of the hit to begin with; see `citedIn` for passages. */
export function useFind(userId: string, documentId: string): Sight {
  const [params, setParams] = useSearchParams()
  const [text, setText] = useState(params.get('q') ?? '')
  const [firstPage, setFirstPage] = useState(Number(params.get('p')) || 0)
  const [chosen, setChosen] = useState<number | null>(null)
  const [chosenPlace, setShown] = useState<Place | null>(null)
  const [isCitedOver, setCitedOver] = useState(false)
  const cited = useCited(documentId)
  const shown = chosenPlace ?? (isCitedOver ? null : cited)
  const searched = useDeferredValue(text)
  const { data: hits = [], isFetching } = useQuery(hitsQuery(userId, documentId, searched))

  const first = Math.max(
    0,
    hits.findIndex(({ page }) => page >= firstPage),
  )
  const at = Math.min(chosen ?? first, Math.max(0, hits.length - 1))
  const hit = hits[at]
  // An object of its own for every hit: the viewer jumps when it is another one.
  const found = useMemo(
    () => (hit ? placeOf(hit) : firstPage > 0 ? { page: firstPage, boxes: [] } : null),
    [hit, firstPage],
  )

  function onText(next: string) {
    setText(next)
    setChosen(null)
    setShown(null)
    setCitedOver(true)
    setFirstPage(0)
    setParams(next.trim() ? { q: next } : {}, { replace: true })
  }

  function onMove(step: 1 | -1) {
    if (hits.length === 0) return
    setChosen((at + step + hits.length) % hits.length)
    setShown(null)
    setCitedOver(true)
  }

  function marksOf(page: number): Mark[] {
    const marks = hits.flatMap((each, index): Mark[] =>
      each.page === page ? [{ ...placeOf(each), tone: index === at && !shown ? 'loud' : 'quiet' }] : [],
    )
    return shown?.page === page && (shown.boxes.length > 0 || shown.span)
      ? [...marks, { ...shown, tone: 'loud' }]
      : marks
  }

  return {
    find: { text, at, count: hits.length, isSearching: isFetching || searched !== text, onText, onMove },
    target: shown ?? found,
    marksOf,
    show: setShown,
  }
}
