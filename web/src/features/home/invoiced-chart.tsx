/**
 * Months as bars: late on top of open on top of paid, in the colours of the register's own chart.
 *
 * One slider chooses the month whose figures are told: it lies over the bars, so that a finger, a mouse and the arrow
 * keys all do what they do on any slider, and a screen reader hears the figures as its value.
 */
import { type CSSProperties, type PointerEvent, useRef, useState } from 'react'

import { track } from '@/data/analytics'
import type { InvoicedMonth } from '@/data/invoices'
import { cn } from '@/lib/cn'
import { shortMonth } from '@/strings/days'
import { formatEuro } from '@/strings/numbers'
import { monthAndYear } from '@/strings/tasks'

type Props = { months: InvoicedMonth[] }

const HALF_THUMB = '8px'

/** «novembre 2026: emessi 3,00 €, incassati 1,00 €, da incassare 2,00 € (scaduti 0,50 €)». */
function told({ month, collected_cents: collected, open_cents: open, late_cents: late }: InvoicedMonth): string {
  // Nothing was issued, or a credit note took all of it back.
  if (collected === 0 && open === 0) return `${monthAndYear(month)}: emessi ${formatEuro(0)}`
  const parts = [
    `emessi ${formatEuro(collected + open)}`,
    collected !== 0 && `incassati ${formatEuro(collected)}`,
    open !== 0 && `da incassare ${formatEuro(open)}${late > 0 ? ` (scaduti ${formatEuro(late)})` : ''}`,
  ]
  return `${monthAndYear(month)}: ${parts.filter(Boolean).join(', ')}`
}

export function InvoicedChart({ months }: Props) {
  const [chosen, setChosen] = useState(months.length - 1)
  const isTold = useRef(false)
  const most = Math.max(1, ...months.map(({ collected_cents, open_cents }) => collected_cents + open_cents))

  /** Once for each look at the page: drawing a finger along the bars is one interaction. */
  function interact() {
    if (isTold.current) return
    isTold.current = true
    track('dashboard_chart_interacted', { chartType: 'invoices' })
  }

  function hover({ pointerType, nativeEvent, currentTarget }: PointerEvent) {
    if (pointerType !== 'mouse') return
    const place = Math.floor((nativeEvent.offsetX / currentTarget.clientWidth) * months.length)
    setChosen(Math.min(Math.max(place, 0), months.length - 1))
  }

  return (
    <div className="grid gap-2">
      <Legend />
      <div
        className="relative grid rounded-sm outline-offset-4 outline-ring has-[:focus-visible]:outline-2"
        style={{ '--months': months.length } as CSSProperties}
      >
        <div aria-hidden className="grid grid-cols-[repeat(var(--months),minmax(0,1fr))]">
          {months.map((month, place) => (
            <Bar key={month.month} month={month} most={most} isChosen={place === chosen} />
          ))}
        </div>
        <input
          type="range"
          aria-label="Mese"
          aria-valuetext={months[chosen] && told(months[chosen])}
          min={0}
          max={months.length - 1}
          value={chosen}
          onChange={({ target }) => {
            setChosen(Number(target.value))
            interact()
          }}
          onPointerDown={interact}
          onPointerMove={hover}
          // The thumb stands over the middle of each bar.
          style={{ paddingInline: `calc(50% / var(--months) - ${HALF_THUMB})` }}
          className="absolute inset-0 size-full cursor-pointer touch-pan-y opacity-0"
        />
      </div>
      <p className="min-h-15 text-sm text-pretty sm:min-h-10 tabular first-letter:uppercase">
        {months[chosen] && told(months[chosen])}
      </p>
      <MonthTable months={months} />
    </div>
  )
}

function Legend() {
  return (
    <p className="flex flex-wrap gap-x-4 gap-y-1 text-xs text-muted-foreground">
      {[
        ['bg-input', 'incassato'],
        ['bg-primary', 'da incassare'],
        ['bg-error', 'scaduto'],
      ].map(([color, name]) => (
        <span key={name} className="flex items-center gap-1.5">
          <span aria-hidden className={cn('size-2.5 rounded-[2px]', color)} />
          {name}
        </span>
      ))}
    </p>
  )
}

type BarProps = { month: InvoicedMonth; most: number; isChosen: boolean }

function Bar({ month, most, isChosen }: BarProps) {
  const share = (cents: number) => ({ height: `${(Math.max(0, cents) / most) * 100}%` })
  return (
    <div className={cn('rounded-sm pt-1', isChosen && 'bg-muted')}>
      <div className="mx-auto flex h-40 w-3/5 max-w-8 flex-col justify-end gap-px border-b">
        <span className="rounded-t-[2px] bg-error" style={share(month.late_cents)} />
        <span className="bg-primary" style={share(month.open_cents - month.late_cents)} />
        <span className="bg-input" style={share(month.collected_cents)} />
      </div>
      <p className={cn('py-1 text-center text-xs', isChosen ? 'font-semibold' : 'text-muted-foreground')}>
        {shortMonth(month.month).slice(0, 3)}
      </p>
    </div>
  )
}

/** The same figures as a table, for whoever reads numbers rather than bars. */
function MonthTable({ months }: Props) {
  return (
    <details className="text-sm">
      <summary className="flex min-h-11 cursor-pointer items-center font-medium text-primary">Mostra i numeri</summary>
      <table className="w-full tabular">
        <caption className="sr-only">Fatture emesse per mese</caption>
        <thead>
          <tr className="border-b text-right text-xs text-muted-foreground *:pb-2 *:font-medium">
            <th scope="col" className="text-left">
              Mese
            </th>
            <th scope="col" className="hidden sm:table-cell">
              Emesso
            </th>
            <th scope="col">Incassato</th>
            <th scope="col">Da incassare</th>
          </tr>
        </thead>
        <tbody className="divide-y">
          {months.map(({ month, collected_cents: collected, open_cents: open, late_cents: late }) => (
            <tr key={month} className="text-right align-top *:py-2">
              <th scope="row" className="text-left font-normal whitespace-nowrap text-muted-foreground">
                {shortMonth(month)}
              </th>
              <td className="hidden sm:table-cell">{formatEuro(collected + open)}</td>
              <td>{formatEuro(collected)}</td>
              <td>
                {formatEuro(open)}
                {late > 0 && <span className="block text-xs text-error">scaduti {formatEuro(late)}</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  )
}
