/** Four figures of the day; each opens the rows that it is the sum of. */
import { BanknoteIcon, CoinsIcon, HandshakeIcon, ListTodoIcon, type LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'

import { Sparkline } from '@/components/charts/sparkline'
import { track } from '@/data/analytics'
import type { Home } from '@/data/home'
import { paths } from '@/paths'
import { countText } from '@/strings/home'
import { formatCount, formatCredits, formatEuro, formatMoney } from '@/strings/numbers'

export function StatTiles({ home }: { home: Home }) {
  const { to_cash: cash, deals, work, balance } = home
  const paid = home.months.map(({ paid_cents: cents }) => cents)
  return (
    <ul aria-label="In breve" className="grid grid-cols-2 gap-3">
      <Tile
        icon={BanknoteIcon}
        stat="da_incassare"
        to={paths.invoicesToCash}
        name="Da incassare"
        value={formatEuro(cash.open_cents)}
        more={paid.some((cents) => cents > 0) && <Sparkline values={paid} />}
      >
        {cash.late_cents > 0 && <span className="text-error">{formatEuro(cash.late_cents)} in ritardo</span>}
        {leftOut(home).map((text) => (
          <span key={text}>{text}</span>
        ))}
      </Tile>
      <Tile
        icon={HandshakeIcon}
        stat="trattative"
        to={paths.crmDeals}
        name="Trattative aperte"
        value={formatEuro(deals.cents)}
      >
        {deals.count > 0 && (
          <span>
            {formatCount(deals.count)}, ponderato {formatEuro(deals.weighted_cents)}
          </span>
        )}
        {others(deals.others).map((text) => (
          <span key={text}>{text}</span>
        ))}
      </Tile>
      <Tile
        icon={ListTodoIcon}
        stat="attivita"
        to={paths.tasks}
        name="Attività di oggi"
        value={formatCount(work.today)}
      >
        {work.late > 0 && <span className="text-error">{countText(work.late, 'scaduta', 'scadute')}</span>}
      </Tile>
      <Tile
        icon={CoinsIcon}
        stat="crediti"
        to={paths.settingsCredits}
        name="Crediti"
        value={<span data-testid="balance">{formatCredits(balance)}</span>}
      >
        <span>a disposizione</span>
      </Tile>
    </ul>
  )
}

const others = (sums: Record<string, number>): string[] =>
  Object.entries(sums).map(([currency, cents]) => `più ${formatMoney(cents, currency)}`)

/** What the euros of the first tile do not say, or do not count. */
function leftOut({ to_cash: cash, waiting }: Home): string[] {
  return [
    ...others(cash.others),
    ...(cash.undated > 0 ? [`${formatEuro(cash.undated_cents)} senza scadenza`] : []),
    ...(waiting && waiting.issued > 0
      ? [`fuori dai conti ${countText(waiting.issued, 'fattura', 'fatture')} da verificare`]
      : []),
  ]
}

type TileProps = {
  icon: LucideIcon
  stat: string
  to: string
  name: string
  value: ReactNode
  more?: ReactNode
  children?: ReactNode
}

function Tile({ icon: Icon, stat, to, name, value, more, children }: TileProps) {
  return (
    <li className="@container grid grid-cols-[minmax(0,1fr)]">
      <Link
        to={to}
        onClick={() => track('dashboard_stat_clicked', { stat })}
        className="grid content-start gap-1 rounded-md border bg-card p-3 transition-colors hover:border-primary sm:p-4"
      >
        <span className="flex items-center justify-between gap-2 text-sm text-muted-foreground">
          <span className="flex min-w-0 items-center gap-1.5">
            <Icon aria-hidden className="size-4 shrink-0" />
            <span className="truncate">{name}</span>
          </span>
          <span className="hidden @min-[14rem]:block">{more}</span>
        </span>
        <span className="text-xl font-semibold tabular sm:text-2xl">{value}</span>
        <span className="grid text-xs text-pretty text-muted-foreground tabular">{children}</span>
      </Link>
    </li>
  )
}
