/** Due dates gathered by month, and what stands out among them. */
import type { DueDate } from '@/data/invoices'
import { addDays, addMonths } from '@/lib/rome-time'

type Month = { /** Its first day. */ month: string; open: number; paid: number }
type Totals = { overdue: number; soon: number; later: number; undated: number }

export const MONTHS_BEFORE = 3
const MONTHS = 9
const SOON_DAYS = 30

const place = (currency: string) => (currency === 'EUR' ? '' : currency)

/** Due dates by their currency, euros first: different ones do not add up. */
export function byCurrency(dates: readonly DueDate[]): [currency: string, dates: DueDate[]][] {
  const groups = Map.groupBy(dates, ({ currency }) => currency)
  return [...groups].toSorted(([a], [b]) => place(a).localeCompare(place(b)))
}

/** Cents by month, from three months ago on; what is overdue for longer counts in `totalsOf` only. */
export function monthsOf(dates: readonly DueDate[], today: string): Month[] {
  const months = Array.from({ length: MONTHS }, (_, index): Month => ({
    month: addMonths(today, index - MONTHS_BEFORE),
    open: 0,
    paid: 0,
  }))
  for (const { due_on: due, cents, paid_on: paid } of dates) {
    const month = months.find((each) => due?.startsWith(each.month.slice(0, 7)))
    if (month) month[paid ? 'paid' : 'open'] += cents
  }
  return months
}

/** Add up the cents not paid: late, due within thirty days, due later, and without a due date. */
export function totalsOf(dates: readonly DueDate[], today: string): Totals {
  const soon = addDays(today, SOON_DAYS)
  const totals: Totals = { overdue: 0, soon: 0, later: 0, undated: 0 }
  for (const { due_on: due, cents, paid_on: paid, is_late: isLate } of dates) {
    if (paid) continue
    const dated = due !== null && due <= soon ? 'soon' : 'later'
    const open = due === null ? 'undated' : dated
    totals[isLate ? 'overdue' : open] += cents
  }
  return totals
}
