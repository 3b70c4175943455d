/** Lines along the same points: the first is drawn through, with an area below it, the others are dashed. */
import { max } from 'd3-array'
import { scaleLinear, scalePoint } from 'd3-scale'
import { area, curveMonotoneX, line } from 'd3-shape'
import { useId } from 'react'

import { ChartFrame, type Table } from '@/components/charts/chart-frame'

type Series = { key: string; name: string }
type Point = { /** Below some of the points. */ label: string; sentence: string; values: Record<string, number> }

type Props = {
  label: string
  series: readonly Series[]
  points: readonly Point[]
  first: number
  table: Table
  onInteract: () => void
}

const HEIGHT = 176
const LABELS = 20
const strokes = ['text-primary', 'text-terracotta'] as const

export function LineChart({ label, series, points, first, table, onInteract }: Props) {
  const id = useId()
  const most = max(points, ({ values }) => max(series, ({ key }) => values[key] ?? 0)) ?? 0
  const y = scaleLinear([0, most || 1], [HEIGHT - LABELS, 8])
  return (
    <ChartFrame
      label={label}
      sentences={points.map(({ sentence }) => sentence)}
      first={first}
      table={table}
      onInteract={onInteract}
      legend={series.map(({ key, name }, at) => (
        <span key={key} className="flex items-center gap-1.5">
          <svg aria-hidden width="20" height="8" className={strokes[at]}>
            <line x1="0" x2="20" y1="4" y2="4" stroke="currentColor" strokeWidth="2" strokeDasharray={dashes(at)} />
          </svg>
          {name}
        </span>
      ))}
    >
      {(width, chosen) => {
        const x = scalePoint<number>([...points.keys()], [0, width]).padding(0.5)
        const at = (place: number) => x(place) ?? 0
        const through = (key: string) =>
          line<Point>(
            (_, place) => at(place),
            ({ values }) => y(values[key] ?? 0),
          ).curve(curveMonotoneX)(points)
        const below = area<Point>()
          .x((_, place) => at(place))
          .y0(y(0))
          .y1(({ values }) => y(values[series[0]?.key ?? ''] ?? 0))
          .curve(curveMonotoneX)(points)
        const every = Math.ceil((points.length * 52) / width)
        return (
          <svg aria-hidden width="100%" height={HEIGHT} className="block">
            <line x1={at(chosen)} x2={at(chosen)} y1="0" y2={HEIGHT - LABELS} className="stroke-input" />
            <path d={below ?? ''} className="fill-primary/10" />
            {series.map(({ key }, place) => (
              <g key={key} className={strokes[place]}>
                <path
                  d={through(key) ?? ''}
                  fill="none"
                  stroke="currentColor"
                  strokeWidth="2"
                  strokeDasharray={dashes(place)}
                />
                <circle cx={at(chosen)} cy={y(points[chosen]?.values[key] ?? 0)} r="4" fill="currentColor" />
              </g>
            ))}
            <line x1="0" x2={width} y1={HEIGHT - LABELS} y2={HEIGHT - LABELS} className="stroke-border" />
            {points.map(({ label: name }, place) =>
              place % every === 0 ? (
                <text
                  key={`${id}${name}`}
                  x={at(place)}
                  y={HEIGHT - 5}
                  textAnchor="middle"
                  className="fill-muted-foreground text-xs"
                >
                  {name}
                </text>
              ) : null,
            )}
          </svg>
        )
      }}
    </ChartFrame>
  )
}

const dashes = (place: number): string | undefined => (place === 0 ? undefined : '5 4')
