/** Tables as CSV for a spreadsheet set to Italian: `;` between cells, comma in numbers, BOM so that accents arrive. */

type Cell = string | number

const BOM = '\uFEFF'
const number = new Intl.NumberFormat('it-IT', { useGrouping: false, maximumFractionDigits: 20 })

// What a spreadsheet would take for the start of a formula, also behind blanks that it skips.
const FORMULA = /^\s*[=+\-@\t\r|%]/

/** The file's text: `header`, then one line for each of `rows`. Text can never become a formula. */
export function csvOf(header: string[], rows: Cell[][]): string {
  return BOM + [header, ...rows].map((row) => row.map(written).join(';')).join('\r\n') + '\r\n'
}

function written(cell: Cell): string {
  if (typeof cell === 'number') return number.format(cell)
  const harmless = FORMULA.test(cell) ? `'${cell}` : cell
  return `"${harmless.replaceAll('"', '""')}"`
}
