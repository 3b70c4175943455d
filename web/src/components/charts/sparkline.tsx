/** A line so small that it only shows a direction; the sentence beside it has the figures. Drawn without d3: it comes first. */
const WIDTH = 72
const HEIGHT = 20
const EDGE = 2

export function Sparkline({ values }: { values: readonly number[] }) {
  const most = Math.max(1, ...values)
  const points = values.map((value, place) => ({
    x: EDGE + (place / Math.max(1, values.length - 1)) * (WIDTH - 2 * EDGE),
    y: HEIGHT - EDGE - (Math.max(0, value) / most) * (HEIGHT - 2 * EDGE),
  }))
  const last = points.at(-1)
  return (
    <svg aria-hidden width={WIDTH} height={HEIGHT} className="text-primary">
      <polyline
        points={points.map(({ x, y }) => `${x},${y}`).join(' ')}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        strokeLinejoin="round"
      />
      {last && <circle cx={last.x} cy={last.y} r="2" fill="currentColor" />}
    </svg>
  )
}
