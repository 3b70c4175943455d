/** A long list that scrolls with the page: only what is in sight is drawn; `j`, `k` move, `x` selects. */
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef, useState } from 'react'

import { useShortcut } from '@/lib/shortcut'

/** So many lines before the end the next page is asked for: a second of fast scrolling. */
const AHEAD = 80

type Options = {
  /** One per line, in their order; the line's link carries its own as `data-row`. */
  ids: readonly string[]
  /** In px, before a line is measured. */
  rowHeight: number
  onSelect: (id: string) => void
  /** The last lines are near. */
  onEnd: () => void
}

export function useWindowRows({ ids, rowHeight, onSelect, onEnd }: Options) {
  const body = useRef<HTMLDivElement>(null)
  const [top, setTop] = useState(0)
  const [active, setActive] = useState(-1)
  // Nothing here is memoized, so its functions may change.
  // oxlint-disable-next-line react/incompatible-library
  const virtualizer = useWindowVirtualizer({
    count: ids.length,
    estimateSize: () => rowHeight,
    overscan: 12,
    scrollMargin: top,
    // What j and k go to stands clear of the top bar and of the navigation.
    scrollPaddingStart: 72,
    scrollPaddingEnd: 112,
    getItemKey: (index) => ids[index] ?? index,
  })
  const items = virtualizer.getVirtualItems()
  const isNearEnd = (items.at(-1)?.index ?? 0) >= ids.length - AHEAD

  // What stands above the list changes its height, and with it the page's.
  useEffect(() => {
    const observer = new ResizeObserver(() => {
      if (body.current) setTop(Math.round(body.current.getBoundingClientRect().top + window.scrollY))
    })
    observer.observe(document.body)
    return () => observer.disconnect()
  }, [])
  useEffect(() => {
    if (isNearEnd) onEnd()
  }, [isNearEnd, ids.length, onEnd])

  function move(step: 1 | -1) {
    const from = active === -1 ? (virtualizer.range?.startIndex ?? 0) - 1 : active
    const next = Math.min(Math.max(from + step, 0), ids.length - 1)
    const id = ids[next]
    if (!id) return
    setActive(next)
    virtualizer.scrollToIndex(next)
    // Drawn in the next frame when it was out of sight.
    requestAnimationFrame(() => body.current?.querySelector<HTMLElement>(`[data-row="${id}"]`)?.focus())
  }
  useShortcut('j', () => move(1))
  useShortcut('k', () => move(-1))
  useShortcut('x', () => {
    const id = ids[active]
    if (id) onSelect(id)
  })

  return {
    /** Goes on the element that holds the lines, which is `height` px high. */
    body,
    height: virtualizer.getTotalSize(),
    /** Goes on each line, beside `data-index`. */
    measure: virtualizer.measureElement,
    /** What to draw, `offset` px below the top of the list. */
    rows: items.map(({ index, key, start }) => ({ index, key, offset: start - top })),
    /** The line that has the focus is the one that the keys go on from. */
    setActive,
  }
}
