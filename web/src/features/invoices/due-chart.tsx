/** What is late, what comes, and the months as bars: open on the left of paid, with the figures beside them. */
import type { DueDate } from '@/data/invoices'
import { monthsOf, totalsOf } from '@/features/invoices/months'
import { formatMoney } from '@/strings/numbers'
import { shortMonth } from '@/strings/days'

type Props = { /** Of one currency. */ dates: DueDate[]; currency: string; today: string; isIncoming: boolean }

export function DueChart({ dates, currency, today, isIncoming }: Props) {
  const { overdue, soon, later, undated } = totalsOf(dates, today)
  const months = monthsOf(dates, today)
  const most = Math.max(1, ...months.map(({ open, paid }) => open + paid))
  const share = (cents: number) => `${(Math.max(0, cents) / most) * 100}%`
  return (
    <section
      aria-label={currency === 'EUR' ? 'Scadenzario' : `Scadenzario in ${currency}`}
      className="grid gap-5 rounded-md border bg-card p-5 lg:grid-cols-[14rem_minmax(0,1fr)]"
    >
      <dl className="grid grid-cols-2 content-start gap-4 sm:grid-cols-[repeat(auto-fit,minmax(9rem,1fr))] lg:grid-cols-1">
        <Total name="Scaduto" cents={overdue} currency={currency} isLate={overdue > 0} />
        <Total name="Entro 30 giorni" cents={soon} currency={currency} />
        <Total name="Più avanti" cents={later} currency={currency} />
        {undated !== 0 && <Total name="Senza scadenza" cents={undated} currency={currency} />}
      </dl>
      <div className="grid gap-1.5">
        <p className="flex gap-4 text-xs text-muted-foreground">
          <Legend className="bg-primary">{isIncoming ? 'da incassare' : 'da pagare'}</Legend>
          <Legend className="bg-input">{isIncoming ? 'incassato' : 'pagato'}</Legend>
        </p>
        <ul aria-label="Per mese" className="grid gap-1 text-sm">
          {months.map(({ month, open, paid }) => (
            <li key={month} className="grid grid-cols-[4.5rem_minmax(0,1fr)_auto] items-center gap-3">
              <span className={month.slice(0, 7) === today.slice(0, 7) ? 'font-semibold' : 'text-muted-foreground'}>
                {shortMonth(month)}
              </span>
              <span aria-hidden className="flex h-3 gap-px overflow-hidden rounded-sm bg-muted">
                <span className="bg-primary" style={{ width: share(open) }} />
                <span className="bg-input" style={{ width: share(paid) }} />
              </span>
              <span className="min-w-20 text-right tabular">
                {open + paid === 0 ? '—' : formatMoney(open || paid, currency)}
                <span className="sr-only">
                  {open ? (isIncoming ? ' da incassare' : ' da pagare') : paid ? ' già saldato' : ''}
                </span>
              </span>
            </li>
          ))}
        </ul>
      </div>
    </section>
  )
}

type TotalProps = { name: string; cents: number; currency: string; isLate?: boolean }

function Total({ name, cents, currency, isLate = false }: TotalProps) {
  return (
    <div>
      <dt className="text-sm text-muted-foreground">{name}</dt>
      <dd className={`text-xl font-semibold tabular ${isLate ? 'text-error' : ''}`}>{formatMoney(cents, currency)}</dd>
    </div>
  )
}

function Legend({ className, children }: { className: string; children: string }) {
  return (
    <span className="flex items-center gap-1.5">
      <span aria-hidden className={`size-2.5 rounded-[2px] ${className}`} />
      {children}
    </span>
  )
}
