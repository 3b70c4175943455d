/** Bars, one for each point; with several series they stand on each other. */
import { max } from 'd3-array'
import { scaleBand, scaleLinear } from 'd3-scale'
import { stack } from 'd3-shape'
import { useId } from 'react'

import { ChartFrame, type Table } from '@/components/charts/chart-frame'
import { type Tone, ToneName, TonePatterns, toneClass, toneFill } from '@/components/charts/tones'

type Series = { key: string; name: string; tone: Tone }
type Point = { /** Below the bar. */ label: string; sentence: string; values: Record<string, number> }

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

export function BarChart({ label, series, points, first, table, onInteract }: Props) {
  const id = useId()
  // What is taken back is no bar below the line; the sentence says it.
  const positive = points.map(({ values }) =>
    Object.fromEntries(series.map(({ key }) => [key, Math.max(0, values[key] ?? 0)])),
  )
  const layers = stack<Record<string, number>>().keys(series.map(({ key }) => key))(positive)
  const most = max(layers.flat(), ([, top]) => top) ?? 0
  const y = scaleLinear([0, Math.max(1, most)], [HEIGHT - LABELS, 4])
  return (
    <ChartFrame
      label={label}
      sentences={points.map(({ sentence }) => sentence)}
      first={first}
      table={table}
      onInteract={onInteract}
      legend={series.map(({ key, name, tone }) => (
        <ToneName key={key} id={id} tone={tone} name={name} />
      ))}
    >
      {(width, chosen) => {
        const x = scaleBand<number>([...points.keys()], [0, width])
          .paddingInner(0.4)
          .paddingOuter(0.2)
        return (
          <svg aria-hidden width="100%" height={HEIGHT} className="block">
            <TonePatterns id={id} />
            <rect
              x={chosen * (width / points.length)}
              width={width / points.length}
              height={HEIGHT}
              rx="4"
              className="fill-muted"
            />
            {layers.map((layer, at) => {
              const tone = series[at]?.tone ?? 'plain'
              return (
                <g key={layer.key} className={toneClass(tone)}>
                  {layer.map(([bottom, top], place) => (
                    <rect
                      key={points[place]?.label}
                      x={x(place)}
                      y={y(top)}
                      width={Math.min(x.bandwidth(), 40)}
                      transform={`translate(${Math.max(0, (x.bandwidth() - 40) / 2)} 0)`}
                      height={Math.max(0, y(bottom) - y(top))}
                      fill={toneFill(id, tone)}
                      stroke={top > bottom ? 'currentColor' : 'none'}
                    />
                  ))}
                </g>
              )
            })}
            <line x1="0" x2={width} y1={HEIGHT - LABELS} y2={HEIGHT - LABELS} className="stroke-border" />
            {points.map(({ label: name }, place) => (
              <text
                key={name}
                x={(place + 0.5) * (width / points.length)}
                y={HEIGHT - 5}
                textAnchor="middle"
                className={place === chosen ? 'fill-foreground text-xs font-semibold' : 'fill-muted-foreground text-xs'}
              >
                {name}
              </text>
            ))}
          </svg>
        )
      }}
    </ChartFrame>
  )
}
