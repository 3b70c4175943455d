/** The codes of electronic invoices in Italian words, from the table that the functions read too. */
import table from '../../../functions/_shared/fatturapa/codes.json'

type CodeList = keyof typeof table

/** What `code` means; an unknown one stands for itself. */
export function codeWords(of: CodeList, code: string | null): string {
  const list: Record<string, string> = table[of]
  return (code && list[code]) ?? code ?? ''
}
