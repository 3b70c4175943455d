/** Stages below each other, each as wide as its amount; a list, so it is its own table. */
import { max } from 'd3-array'
import { scaleLinear } from 'd3-scale'
import type { ReactNode } from 'react'

type Stage = { key: string; name: string; value: number; /** What stands at the end of the line. */ text: ReactNode }

export function Funnel({ label, stages }: { label: string; stages: readonly Stage[] }) {
  const width = scaleLinear([0, Math.max(1, max(stages, ({ value }) => value) ?? 0)], [0, 100])
  return (
    <ul aria-label={label} className="grid gap-2">
      {stages.map(({ key, name, value, text }) => (
        <li key={key} className="grid gap-1 text-sm">
          <span className="flex items-baseline justify-between gap-3">
            <span className="min-w-0 truncate">{name}</span>
            <span className="shrink-0 tabular">{text}</span>
          </span>
          <span aria-hidden className="flex h-5 justify-center rounded-sm bg-muted">
            <span className="h-full rounded-sm bg-primary" style={{ width: `${width(Math.max(0, value))}%` }} />
          </span>
        </li>
      ))}
    </ul>
  )
}
