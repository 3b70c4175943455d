/** One sheet of an Excel file, read by the server in its sandbox. */
import { FunctionError } from '@/lib/server-errors'
import { FileProblem, sheetTable, type CsvTable } from '@/lib/contact-csv'
import { supabase } from '@/lib/supabase'
import { refusalOf } from '@/data/functions'

/** The names of the sheets, which one was read, and its table. */
export type Sheet = { names: string[]; index: number; table: CsvTable }

type Answer = { sheets: string[]; sheet: number; rows: [number, string[]][] }

const UNREACHABLE = 'Non riusciamo a leggere il foglio in questo momento: controlla la connessione e riprova.'

/**
 * @param index of the sheet; null for the first one with contents
 * @throws FileProblem with a sentence for the person, and what `signal` says
 */
export async function readSheet(file: File, index: number | null, signal: AbortSignal): Promise<Sheet> {
  const name = index === null ? 'read_sheet' : `read_sheet?sheet=${index}`
  const { data, error } = await supabase.functions.invoke<Answer>(name, { body: file, signal })
  signal.throwIfAborted()
  if (error || !data) {
    const refusal = await refusalOf(error)
    throw new FileProblem(refusal instanceof FunctionError && refusal.status < 500 ? refusal.message : UNREACHABLE)
  }
  const rows = data.rows.map(([row, cells]) => ({ row, cells, problem: null }))
  return { names: data.sheets, index: data.sheet, table: sheetTable(rows) }
}
