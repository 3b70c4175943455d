/** A report: its state, its figures against the start of the period, and the chosen one through time. */
import { useQuery } from '@tanstack/react-query'
import { ActivityIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { useSearchParams } from 'react-router'

import { LineChart } from '@/components/charts/line-chart'
import { EmptyState } from '@/components/empty-state'
import { LinkTabs } from '@/components/link-tabs'
import { LoadError } from '@/components/load-error'
import { Skeleton } from '@/components/ui/skeleton'
import { type Report, type ReportName, reportQuery } from '@/data/admin'
import { FigureList, type Remark } from '@/features/admin/figure-list'
import { MeasuredLine } from '@/features/admin/measured-line'
import { figures as names, periodOf, periods } from '@/strings/admin'
import { dateAndTime } from '@/strings/dates'

type Props = {
  name: ReportName
  /** The figures to show, the first is drawn unless another is chosen. */
  shown: readonly string[]
  /** Figures and rows of tables are of periods of several lengths: those of the chosen one are shown. */
  isByPeriod?: boolean | undefined
  /** What is said of a figure below it. */
  remark?: Remark | undefined
  /** What follows the figures. */
  children?: (report: Report) => ReactNode
}

export function ReportView({ name, shown, isByPeriod, remark, children }: Props) {
  const [search] = useSearchParams()
  const period = periodOf(search)
  const drawn = shown.find((key) => key === search.get('dato')) ?? shown[0] ?? ''
  const { data, isPending, isError, refetch } = useQuery(reportQuery(name, period.hours))
  const report = data && isByPeriod ? ofPeriod(data, period.hours) : data
  // The light is of the last seven days, whatever period is shown.
  const isJudged = !isByPeriod || Object.keys(data?.figures ?? {}).some((key) => key.endsWith('_168'))
  const to = (changed: Record<string, string>) =>
    `?${new URLSearchParams({ ...Object.fromEntries(search), periodo: period.key, dato: drawn, ...changed }).toString()}`

  if (isPending) return <Skeleton className="h-72" />
  if (isError) return <LoadError text="Non siamo riusciti a leggere le misure." onRetry={() => void refetch()} />
  if (!report) {
    return (
      <EmptyState
        icon={ActivityIcon}
        title="Nessuna misura ancora"
        text="Le misure si fanno ogni dieci minuti: se dopo mezz’ora non c’è niente, controlla che il worker sia acceso."
      />
    )
  }
  const [label, show] = names[drawn] ?? [drawn, String]
  const points = report.points.filter(({ figures }) => drawn in figures)
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
      <MeasuredLine light={isJudged ? report.light : null} at={report.taken_at} />
      <LinkTabs
        label="Periodo"
        tabs={periods.map(({ key, label: text }) => ({ key, label: text, to: to({ periodo: key }) }))}
        current={period.key}
      />
      <FigureList report={report} shown={shown} remark={remark} />
      <section aria-label="Andamento" className="grid grid-cols-[minmax(0,1fr)] gap-3 rounded-md border bg-card p-4">
        <LinkTabs
          label="Che cosa disegnare"
          tabs={shown.map((key) => ({ key, label: names[key]?.[0] ?? key, to: to({ dato: key }) }))}
          current={drawn}
        />
        {points.length < 2 ? (
          <p className="text-sm text-muted-foreground">Serve ancora una misura per disegnare l’andamento.</p>
        ) : (
          <LineChart
            key={drawn + period.key}
            label="Momento"
            series={[{ key: drawn, name: label }]}
            points={points.map(({ at, figures }) => ({
              label: dateAndTime(at).slice(0, 5),
              sentence: `${dateAndTime(at)}: ${show(figures[drawn] ?? 0)}`,
              values: figures,
            }))}
            first={points.length - 1}
            table={{
              caption: `${label} nel periodo`,
              head: ['Momento', label],
              rows: points.map(({ at, figures }) => [dateAndTime(at), show(figures[drawn] ?? 0)]),
            }}
            onInteract={() => undefined}
          />
        )}
      </section>
      {children?.(report)}
    </div>
  )
}

/** The figures whose names end in these hours, without them; and the rows of tables that say so. */
function ofPeriod(report: Report, hours: number): Report {
  const suffix = `_${hours}`
  const pick = (figures: Report['figures']) =>
    Object.fromEntries(
      Object.entries(figures).flatMap(([key, value]) =>
        key.endsWith(suffix) ? [[key.slice(0, -suffix.length), value]] : [],
      ),
    )
  return {
    ...report,
    figures: pick(report.figures),
    before: report.before && pick(report.before),
    points: report.points.map(({ at, figures }) => ({ at, figures: pick(figures) })),
    tables: Object.fromEntries(
      Object.entries(report.tables).map(([key, rows]) => [
        key,
        rows.filter((row) => row.hours === undefined || row.hours === hours),
      ]),
    ),
  }
}
