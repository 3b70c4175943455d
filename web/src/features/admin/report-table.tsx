/** One table of a report, with its rows as CSV. */
import { DownloadIcon } from 'lucide-react'

import { Button } from '@/components/ui/button'
import type { ReportRow } from '@/data/admin'
import { csvOf } from '@/lib/csv'
import { saveFile } from '@/lib/save-file'
import { columns } from '@/strings/admin'

type Props = {
  title: string
  rows: ReportRow[]
  /** Keys of the columns, in order. */
  shown: readonly string[]
  /** What an empty table means. */
  empty: string
  /** What can be done with a row. */
  action?: { label: string; isFor: (row: ReportRow) => boolean; onAct: (row: ReportRow) => void }
}

export function ReportTable({ title, rows, shown, empty, action }: Props) {
  const head = shown.map((key) => columns[key]?.[0] ?? key)
  return (
    <section aria-label={title} className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <div className="flex min-h-11 flex-wrap items-center justify-between gap-2">
        <h2 className="text-base font-semibold">{title}</h2>
        {rows.length > 0 && (
          <Button
            variant="outline"
            size="sm"
            onClick={() =>
              saveFile(
                `${title}.csv`,
                csvOf(
                  head,
                  rows.map((row) => shown.map((key) => raw(row[key]))),
                ),
                'text/csv',
              )
            }
          >
            <DownloadIcon aria-hidden />
            CSV
          </Button>
        )}
      </div>
      {rows.length === 0 ? (
        <p className="rounded-md border px-4 py-6 text-sm text-muted-foreground">{empty}</p>
      ) : (
        <div
          role="group"
          aria-label={`${title}, tabella`}
          // The arrow keys scroll it.
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
          tabIndex={0}
          className="overflow-x-auto rounded-md border bg-card"
        >
          <table className="w-full text-sm tabular">
            <thead>
              <tr className="border-b text-left text-xs text-muted-foreground">
                {head.map((name) => (
                  <th key={name} scope="col" className="px-3 py-2 font-medium whitespace-nowrap">
                    {name}
                  </th>
                ))}
                {action && (
                  <th scope="col" className="sticky right-0 bg-card px-3 py-2">
                    <span className="sr-only">Azioni</span>
                  </th>
                )}
              </tr>
            </thead>
            <tbody className="divide-y">
              {rows.map((row, place) => (
                // oxlint-disable-next-line react/no-array-index-key -- rows of a report have no id
                <tr key={place}>
                  {shown.map((key) => (
                    <td key={key} title={written(key, row[key])} className="max-w-96 truncate px-3 py-2">
                      {written(key, row[key])}
                    </td>
                  ))}
                  {action && (
                    // In sight however far the table reaches.
                    <td className="sticky right-0 bg-card px-3 py-1 text-right">
                      {action.isFor(row) && (
                        <Button variant="outline" size="sm" onClick={() => action.onAct(row)}>
                          {action.label}
                        </Button>
                      )}
                    </td>
                  )}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  )
}

type Value = ReportRow[string] | undefined

const raw = (value: Value) => (typeof value === 'number' ? value : String(value ?? ''))

function written(key: string, value: Value): string {
  if (value === null || value === undefined) return '–'
  return columns[key]?.[1]?.(value as never) ?? String(value)
}
