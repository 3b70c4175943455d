/** A report as a part of a page: its state, its newest figures and what the page says of them. */
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useId } from 'react'

import { LoadError } from '@/components/load-error'
import { Skeleton } from '@/components/ui/skeleton'
import { type Report, type ReportName, reportQuery } from '@/data/admin'
import { FigureList } from '@/features/admin/figure-list'
import { MeasuredLine } from '@/features/admin/measured-line'

const WEEK_H = 168

type Props = {
  name: ReportName
  title: string
  text: string
  shown: readonly string[]
  /** What is said when nothing was ever measured. */
  empty: string
  /** What follows the figures. */
  children: (report: Report) => ReactNode
  /** Shown also when nothing was measured. */
  action?: ReactNode
}

export function ReportSection({ name, title, text, shown, empty, children, action }: Props) {
  const headingId = useId()
  const { data: report, isPending, isError, refetch } = useQuery(reportQuery(name, WEEK_H))
  return (
    <section aria-labelledby={headingId} className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <div className="grid gap-1">
        <h2 id={headingId} className="text-base font-semibold">
          {title}
        </h2>
        <p className="text-sm text-muted-foreground">{text}</p>
      </div>
      {isPending && <Skeleton className="h-40" />}
      {isError && !report && (
        <LoadError text="Non siamo riusciti a leggere le misure." onRetry={() => void refetch()} />
      )}
      {report === null && <p className="text-sm text-muted-foreground">{empty}</p>}
      {report && (
        <>
          <MeasuredLine light={report.light} at={report.taken_at} />
          <FigureList report={report} shown={shown} />
          {children(report)}
        </>
      )}
      {action}
    </section>
  )
}
