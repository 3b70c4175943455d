/** How much of a limit is used: a half circle, the figure in it, and the limit in words. */
import { scaleLinear } from 'd3-scale'
import { arc } from 'd3-shape'

type Props = {
  /** What is measured. */
  label: string
  value: number
  limit: number
  /** From here on it is a warning. */
  warning?: number
  /** What stands in the middle, such as «62 %». */
  text: string
  /** The whole in words: the value that a screen reader tells. */
  sentence: string
}

const RADIUS = 80
const WIDTH = 14

export function Gauge({ label, value, limit, warning = limit, text, sentence }: Props) {
  const angle = scaleLinear([0, Math.max(1, limit)], [-Math.PI / 2, Math.PI / 2]).clamp(true)
  const shape = arc().cornerRadius(WIDTH / 2)
  const sector = (startAngle: number, endAngle: number) =>
    shape({ innerRadius: RADIUS - WIDTH, outerRadius: RADIUS, startAngle, endAngle }) ?? ''
  const isWarning = value >= warning
  return (
    <figure className="grid justify-items-center gap-1">
      <svg
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={limit}
        aria-valuenow={Math.min(value, limit)}
        aria-valuetext={sentence}
        viewBox={`${-RADIUS} ${-RADIUS} ${2 * RADIUS} ${RADIUS + WIDTH}`}
        className="w-full max-w-56"
      >
        <path d={sector(-Math.PI / 2, Math.PI / 2)} className="fill-muted" />
        <path d={sector(-Math.PI / 2, angle(value))} className={isWarning ? 'fill-error' : 'fill-primary'} />
        {warning < limit && (
          <line
            x1={0}
            x2={0}
            y1={-RADIUS}
            y2={-RADIUS + WIDTH}
            transform={`rotate(${(angle(warning) * 180) / Math.PI})`}
            className="stroke-foreground"
            strokeWidth="2"
          />
        )}
        <text textAnchor="middle" y="-6" className="fill-foreground text-2xl font-semibold tabular">
          {text}
        </text>
      </svg>
      <figcaption className="text-center text-sm text-pretty text-muted-foreground">{sentence}</figcaption>
    </figure>
  )
}
