import type { CreditPrice } from '@/data/catalog'
import type { Entry } from '@/data/credits'
import { csvOf } from '@/lib/csv'
import { entryTitle, lotName } from '@/strings/credits'
import { dateAndTime, dayInDigits } from '@/strings/dates'

/** The statement as a file: the columns of the screen, dates and numbers as an Italian spreadsheet reads them. */
export function statementCsv(entries: Entry[], prices: CreditPrice[]): string {
  return csvOf(
    ['Data', 'Cosa', 'Provenienza', 'Crediti', 'Saldo'],
    entries.map((entry) => [
      dateAndTime(entry.created_at),
      entryTitle(entry, prices),
      `${lotName(entry.lot_kind)} del ${dayInDigits(entry.lot_created_at)}`,
      entry.amount,
      entry.balance_after,
    ]),
  )
}
