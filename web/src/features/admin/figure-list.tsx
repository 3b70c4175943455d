/** The figures of a report, each against the start of the period. */
import type { ReactNode } from 'react'

import type { Report } from '@/data/admin'
import { figures as names } from '@/strings/admin'

export type Remark = (key: string, figures: Report['figures']) => ReactNode

type Props = { report: Report; shown: readonly string[]; remark?: Remark | undefined }

export function FigureList({ report, shown, remark }: Props) {
  return (
    <dl className="grid grid-cols-2 gap-3 sm:grid-cols-4">
      {shown.map((key) => {
        const [label, show] = names[key] ?? [key, String]
        const value = report.figures[key]
        const before = report.before?.[key]
        return (
          <div key={key} className="flex flex-col gap-1 rounded-md border bg-card p-3">
            <dt className="text-xs text-muted-foreground">{label}</dt>
            <dd className="text-xl font-semibold tabular">{value === undefined ? '–' : show(value)}</dd>
            {remark?.(key, report.figures)}
            <dd className="text-xs text-muted-foreground tabular">
              {before === undefined ? 'nessun confronto' : `prima ${show(before)}`}
            </dd>
          </div>
        )
      })}
    </dl>
  )
}
