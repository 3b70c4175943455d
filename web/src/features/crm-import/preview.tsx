import { Spinner } from '@/components/ui/spinner'
import { fieldLabels } from '@/features/crm-import/contacts-file'
import { type Remark, spoken } from '@/lib/contact-cells'
import type { Checked, ImportRow } from '@/lib/contact-csv-rows'
import { formatCount } from '@/strings/numbers'

const SHOWN = 20

/** The first contacts as they will be, how many are ready, and what is wrong with the others. */
export function Preview({ checked, isFetching }: { checked: Checked; isFetching: boolean }) {
  const { rows, rejections, remarks } = checked
  return (
    <section aria-labelledby="anteprima" className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <h2 id="anteprima" className="flex items-center gap-2 text-base font-semibold">
        Anteprima
        {isFetching && <Spinner aria-hidden />}
      </h2>
      <p role="status" className="-mt-2 text-sm">
        <strong className="font-semibold">
          {formatCount(rows.length)} {rows.length === 1 ? 'pronto' : 'pronti'}
        </strong>
        {rejections.length > 0 && <span className="text-error">, {formatCount(rejections.length)} da correggere</span>}
        {remarks.length > 0 && (
          <span className="text-muted-foreground">
            , {formatCount(remarks.length)} {remarks.length === 1 ? 'cella' : 'celle'} da controllare
          </span>
        )}
      </p>
      {rows.length > 0 && (
        <div
          role="region"
          aria-label="Primi contatti"
          // Scrolled by the keyboard too.
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
          tabIndex={0}
          className="max-h-96 overflow-auto rounded-md border bg-card"
        >
          <table className="w-full text-left text-sm">
            <thead className="sticky top-0 bg-muted text-xs text-muted-foreground">
              <tr>
                {['Riga', 'Nome', 'Azienda', 'Email', 'Telefono', 'P.IVA', 'Città', 'Tag'].map((title) => (
                  <th key={title} scope="col" className="px-3 py-2 font-medium whitespace-nowrap">
                    {title}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody className="divide-y">
              {rows.slice(0, SHOWN).map((row) => (
                <PreviewRow key={row.row} row={row} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      <Remarks remarks={remarks} />
      {rejections.length > 0 && (
        <details className="rounded-md bg-error-tint px-4 py-3 text-sm">
          <summary className="cursor-pointer font-medium">
            Righe che non importiamo: alla fine le scarichi, le correggi e le importi di nuovo
          </summary>
          <ul className="mt-2 grid gap-1">
            {rejections.slice(0, SHOWN).map(({ row, problems }) => (
              <li key={row} className="break-words">
                Riga {row}: {problems.join('; ')}
              </li>
            ))}
            {rejections.length > SHOWN && <li>e altre {formatCount(rejections.length - SHOWN)}</li>}
          </ul>
        </details>
      )}
    </section>
  )
}

/** Cells that are left out of their row, and those that come in with a doubt. */
function Remarks({ remarks }: { remarks: readonly Remark[] }) {
  if (remarks.length === 0) return null
  return (
    <details className="rounded-md bg-warning-tint px-4 py-3 text-sm">
      <summary className="cursor-pointer font-medium">
        Celle da controllare: la riga entra lo stesso, quello che non si legge finisce nelle note
      </summary>
      <ul className="mt-2 grid gap-1">
        {remarks.slice(0, SHOWN).map((remark) => (
          <li key={`${remark.row} ${remark.field} ${remark.value}`} className="break-words">
            Riga {remark.row}, {fieldLabels[remark.field]}: {spoken(remark)}
            {remark.isKept && ', importato lo stesso'}
          </li>
        ))}
        {remarks.length > SHOWN && <li>e altre {formatCount(remarks.length - SHOWN)}</li>}
      </ul>
    </details>
  )
}

function PreviewRow({ row }: { row: ImportRow }) {
  const { first_name, last_name, business_name, company, tags, firm } = row
  const name = business_name ?? [first_name, last_name].filter(Boolean).join(' ')
  const cells = [
    name || 'senza nome',
    firm ? `${firm.business_name} (azienda)` : company,
    [...row.emails, ...(firm?.emails ?? [])].join(', '),
    [...row.phones, ...(firm?.phones ?? [])].map(({ norm }) => norm).join(', '),
    row.vat_number ?? firm?.vat_number,
    row.address.city ?? firm?.address.city,
    tags.join(', '),
  ]
  return (
    <tr>
      <td className="px-3 py-2 text-muted-foreground tabular">{row.row}</td>
      {cells.map((text, column) => (
        // Cells never change places.
        // oxlint-disable-next-line react/no-array-index-key
        <td key={column} className="max-w-56 truncate px-3 py-2" title={text ?? undefined}>
          {text}
        </td>
      ))}
    </tr>
  )
}
