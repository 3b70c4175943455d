/** One table of a report, with its rows as CSV. */
import { Button } from '@/components/ui/button'
import type { ReportRow } from '@/data/admin'
import { ActionsHead, TableFrame } from '@/features/admin/table-frame'
import { csvOf } from '@/lib/csv'
import { saveFile } from '@/lib/save-file'
import { columns } from '@/strings/admin'

type RowAction = { label: string; isFor: (row: ReportRow) => boolean; onAct: (row: ReportRow) => void }

type Props = {
  title: string
  rows: ReportRow[]
  /** Keys of the columns, in order. */
  shown: readonly string[]
  /** What an empty table means. */
  empty: string
  /** What can be done with a row. */
  actions?: readonly RowAction[]
}

export function ReportTable({ title, rows, shown, empty, actions }: Props) {
  const head = shown.map((key) => columns[key]?.[0] ?? key)
  return (
    <TableFrame
      title={title}
      head={head}
      lastHead={actions && <ActionsHead />}
      empty={rows.length === 0 && empty}
      onDownload={() =>
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
      {rows.map((row, place) => (
        // oxlint-disable-next-line react/no-array-index-key -- rows of a report have no id
        <tr key={place}>
          {shown.map((key) => (
            <td key={key} title={written(key, row[key])} className="max-w-96 truncate px-3 py-2">
              {written(key, row[key])}
            </td>
          ))}
          {actions && (
            // In sight however far the table reaches.
            <td className="sticky right-0 bg-card px-3 py-1 text-right whitespace-nowrap">
              <span className="inline-flex gap-2 max-sm:flex-col">
                {actions
                  .filter(({ isFor }) => isFor(row))
                  .map(({ label, onAct }) => (
                    <Button key={label} variant="outline" size="sm" onClick={() => onAct(row)}>
                      {label}
                    </Button>
                  ))}
              </span>
            </td>
          )}
        </tr>
      ))}
    </TableFrame>
  )
}

type Value = ReportRow[string] | undefined

const raw = (value: Value) => (typeof value === 'number' ? value : String(value ?? ''))

function written(key: string, value: Value): string {
  if (value === null || value === undefined) return '–'
  return columns[key]?.[1]?.(value as never) ?? String(value)
}
