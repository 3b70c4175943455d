/**
 * What every chart has: a drawing, one slider over it that chooses a point, the sentence of that point, and all figures
 * as a table.
 *
 * The slider lies over the drawing, so that a finger, a mouse and the arrow keys all do what they do on any slider, and
 * a screen reader hears the sentence as its value.
 */
import { type PointerEvent, type ReactNode, useRef, useState } from 'react'

import { useWidth } from '@/components/charts/use-width'

export type Table = { caption: string; head: readonly string[]; rows: readonly (readonly string[])[] }

type Props = {
  /** What the slider moves along: «Mese». */
  label: string
  /** What each point says. */
  sentences: readonly string[]
  /** The point that is chosen at first. */
  first: number
  table: Table
  legend?: ReactNode
  /** Told once for each look at the chart. */
  onInteract: () => void
  children: (width: number, chosen: number) => ReactNode
}

export function ChartFrame({ label, sentences, first, table, legend, onInteract, children }: Props) {
  const [chosen, setChosen] = useState(first)
  const [ref, width] = useWidth<HTMLDivElement>()
  const isTold = useRef(false)
  const last = sentences.length - 1

  function interact() {
    if (isTold.current) return
    isTold.current = true
    onInteract()
  }

  function hover({ pointerType, nativeEvent, currentTarget }: PointerEvent) {
    if (pointerType !== 'mouse') return
    const place = Math.floor((nativeEvent.offsetX / currentTarget.clientWidth) * sentences.length)
    setChosen(Math.min(Math.max(place, 0), last))
  }

  return (
    <figure className="grid grid-cols-[minmax(0,1fr)] gap-2">
      {legend && <p className="flex flex-wrap gap-x-4 gap-y-1 text-xs text-muted-foreground">{legend}</p>}
      <div ref={ref} className="relative rounded-sm outline-offset-4 outline-ring has-[:focus-visible]:outline-2">
        {children(width, chosen)}
        <input
          type="range"
          aria-label={label}
          aria-valuetext={sentences[chosen]}
          min={0}
          max={last}
          value={chosen}
          onChange={({ target }) => {
            setChosen(Number(target.value))
            interact()
          }}
          onPointerDown={interact}
          onPointerMove={hover}
          // The middle of the thumb, 16 px wide, is over the middle of each point.
          style={{ paddingInline: `calc(50% / ${sentences.length} - 8px)` }}
          className="absolute inset-0 size-full cursor-pointer touch-pan-y opacity-0"
        />
      </div>
      <figcaption className="min-h-10 text-sm text-pretty tabular first-letter:uppercase">
        {sentences[chosen]}
      </figcaption>
      <FigureTable {...table} />
    </figure>
  )
}

/** The same figures for whoever reads numbers rather than drawings. */
function FigureTable({ caption, head, rows }: Table) {
  return (
    <details className="text-sm">
      <summary className="flex min-h-11 cursor-pointer items-center font-medium text-primary">
        Vedi come tabella
      </summary>
      <div className="overflow-x-auto">
        <table className="w-full tabular">
          <caption className="sr-only">{caption}</caption>
          <thead>
            <tr className="border-b text-right text-xs text-muted-foreground *:px-1 sm:*:px-2 *:pb-2 *:font-medium">
              {head.map((name, place) => (
                <th key={name} scope="col" className={place === 0 ? 'pl-0 text-left' : undefined}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody className="divide-y">
            {rows.map(([name = '', ...cells]) => (
              <tr key={name} className="text-right *:px-1 sm:*:px-2 *:py-2">
                <th scope="row" className="pl-0 text-left font-normal whitespace-nowrap text-muted-foreground">
                  {name}
                </th>
                {cells.map((cell, place) => (
                  <td key={head[place + 1]}>{cell}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  )
}
