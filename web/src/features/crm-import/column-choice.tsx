import { Select } from '@/components/ui/select'
import { fieldLabels } from '@/features/crm-import/contacts-file'
import type { CsvTable } from '@/lib/contact-csv'
import { type ContactField, type Mapping, withColumn } from '@/lib/contact-csv-columns'
import { knownExport } from '@/lib/known-exports'

type Props = { table: CsvTable; mapping: Mapping; onChange: (mapping: Mapping) => void }

/** The columns; folded away where the file is an export that we know. */
export function Columns(props: Props) {
  const program = knownExport(props.table.header)
  if (!program) return <ColumnChoice {...props} />
  return (
    <div className="grid gap-3">
      <p role="status" className="rounded-md bg-secondary px-4 py-3 text-sm font-medium">
        Esportazione di {program.name} riconosciuta
      </p>
      <details>
        <summary className="cursor-pointer text-sm font-medium">Vedi come leggiamo le colonne</summary>
        <div className="mt-3">
          <ColumnChoice {...props} />
        </div>
      </details>
    </div>
  )
}

/** Each column of the file with an example of it, and what it becomes. */
function ColumnChoice({ table, mapping, onChange }: Props) {
  const { header, rows } = table
  const example = (column: number) => rows.slice(0, 200).find(({ cells }) => cells[column])?.cells[column] ?? ''
  const left = mapping.filter((field) => field === null).length
  return (
    <section aria-labelledby="colonne" className="grid gap-3">
      <h2 id="colonne" className="text-base font-semibold">
        Colonne
      </h2>
      <p className="-mt-2 text-sm text-muted-foreground">
        {left === 0
          ? 'Le abbiamo riconosciute tutte: controlla che sia giusto.'
          : `Quelle segnate «Non importare» restano fuori: ${left} su ${header.length}.`}
      </p>
      <ul className="divide-y rounded-md border bg-card">
        {header.map((title, column) => (
          <li
            // Titles may repeat, columns never change places.
            // oxlint-disable-next-line react/no-array-index-key
            key={column}
            className="grid grid-cols-2 items-center gap-3 px-3 py-2 sm:grid-cols-[1fr_1fr_14rem]"
          >
            <span className="min-w-0 text-sm font-medium break-words">{title || 'Senza titolo'}</span>
            <span className="min-w-0 truncate text-sm text-muted-foreground max-sm:hidden">{example(column)}</span>
            <Select
              aria-label={`Che cosa contiene «${title || `colonna ${column + 1}`}»`}
              value={mapping[column] ?? ''}
              onChange={(event) =>
                onChange(withColumn(mapping, column, (event.target.value || null) as ContactField | null))
              }
            >
              <option value="">Non importare</option>
              {Object.entries(fieldLabels).map(([field, label]) => (
                <option key={field} value={field}>
                  {label}
                </option>
              ))}
            </Select>
          </li>
        ))}
      </ul>
    </section>
  )
}
