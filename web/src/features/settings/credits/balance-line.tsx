import type { Entry } from '@/data/credits'
import { credits } from '@/strings/credits'
import { shortDate } from '@/strings/dates'

const WIDTH = 600
const HEIGHT = 72
/** Fewer movements than this are read faster in the table. */
const MIN_ENTRIES = 4

/** The steps of the balance over the movements that are listed, each as long as it lasted; `entries` newest first. */
export function BalanceLine({ entries }: { entries: Entry[] }) {
  if (entries.length < MIN_ENTRIES) return null
  const points = entries.toReversed().map((entry) => ({ at: Date.parse(entry.created_at), value: entry.balance_after }))
  const [first, last] = [points[0], points.at(-1)]
  if (!first || !last) return null
  const highest = Math.max(...points.map(({ value }) => value))
  const from = shortDate(new Date(first.at).toISOString())
  const to = shortDate(new Date(last.at).toISOString())
  // A single day has no course worth a picture.
  if (from === to) return null
  return (
    <figure className="grid gap-1">
      <svg
        role="img"
        aria-label={`Crediti posseduti: ${credits(first.value)} il ${from}, ${credits(last.value)} il ${to}, al massimo ${credits(highest)}`}
        viewBox={`0 -2 ${WIDTH} ${HEIGHT + 4}`}
        preserveAspectRatio="none"
        className="h-18 w-full text-primary"
      >
        <path
          d={steps(points, highest)}
          className="fill-none stroke-current"
          strokeWidth={2}
          vectorEffect="non-scaling-stroke"
        />
      </svg>
      <figcaption className="flex justify-between text-xs text-muted-foreground tabular">
        <span>{from}</span>
        <span>{to}</span>
      </figcaption>
    </figure>
  )
}

type Point = { at: number; value: number }

/** A path that stays level until the next movement: between two of them nothing changes. */
export function steps(points: Point[], highest: number): string {
  const [start, end] = [points[0]?.at ?? 0, points.at(-1)?.at ?? 1]
  const x = (at: number) => Math.round(((at - start) / (end - start)) * WIDTH)
  const y = (value: number) => Math.round(HEIGHT - (value / Math.max(highest, 1)) * HEIGHT)
  return points.map(({ at, value }, index) => (index === 0 ? `M0 ${y(value)}` : `H${x(at)}V${y(value)}`)).join('')
}
