/** The pages of a document under each other. Only those near the window are drawn, so two hundred scroll like two. */
import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react'

import { type Place, SCALE } from '@/features/document/places'

const GAP_PX = 16
/** How much of the window stays above what was jumped to. */
const ABOVE = 1 / 4

type Props = {
  count: number
  /** Height by width; null where only drawing tells it. */
  ratioOf: (no: number) => number | null
  zoom: number
  /** What to look at; another object, even of the same values, jumps again. */
  target: Place | null
  renderPage: (no: number, width: number) => ReactNode
  onPage: (no: number) => void
}

export function PageStack({ count, ratioOf, zoom, target, renderPage, onPage }: Props) {
  const frame = useRef<HTMLDivElement>(null)
  const [fit, setFit] = useState(0)
  const width = Math.round(fit * zoom)
  // oxlint-disable-next-line react/incompatible-library
  const rows = useVirtualizer({
    count: width > 0 ? count : 0,
    getScrollElement: () => frame.current,
    estimateSize: (index) => (ratioOf(index + 1) ?? Math.SQRT2) * width,
    gap: GAP_PX,
    paddingStart: GAP_PX,
    paddingEnd: GAP_PX,
    overscan: 1,
  })

  function tellPage() {
    const element = frame.current
    const row = element && rows.getVirtualItemForOffset(element.scrollTop + element.clientHeight * ABOVE)
    if (row) onPage(row.index + 1)
  }

  useLayoutEffect(() => {
    const element = frame.current
    if (!element) return undefined
    const watcher = new ResizeObserver(() => setFit(Math.max(0, element.clientWidth - 2 * GAP_PX)))
    watcher.observe(element)
    return () => watcher.disconnect()
  }, [])

  const jump = useEffectEvent(() => {
    const element = frame.current
    if (!target || !element) return
    const [start] = rows.getOffsetForIndex(target.page - 1, 'start') ?? [0]
    const row = rows.measurementsCache[target.page - 1]
    const [x0, y0] = target.boxes[0] ?? [0, 0]
    const inside = target.boxes.length > 0 ? ((row?.size ?? 0) * y0) / SCALE - element.clientHeight * ABOVE : -GAP_PX
    element.scrollTo({
      top: Math.max(0, (row?.start ?? start) + inside),
      left: Math.max(0, (x0 / SCALE) * width - element.clientWidth / 2),
    })
  })
  // The pages keep their proportions, so another width needs all of them measured anew.
  useLayoutEffect(() => rows.measure(), [rows, width])
  const isMeasured = width > 0
  useEffect(() => {
    if (isMeasured) jump()
  }, [target, isMeasured])

  return (
    <div
      ref={frame}
      // A region that scrolls has to be reachable by the keyboard.
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      role="region"
      aria-label="Pagine"
      onScroll={tellPage}
      className="relative min-h-0 flex-1 overflow-auto"
    >
      <div className="relative mx-auto" style={{ height: rows.getTotalSize(), width: width || undefined }}>
        {rows.getVirtualItems().map(({ index, key, start }) => (
          <div
            key={key}
            ref={rows.measureElement}
            data-index={index}
            className="absolute inset-x-0 top-0"
            style={{ transform: `translateY(${start}px)` }}
          >
            {renderPage(index + 1, width)}
          </div>
        ))}
      </div>
    </div>
  )
}
