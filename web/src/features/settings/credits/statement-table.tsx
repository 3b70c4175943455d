import type { CreditPrice } from '@/data/catalog'
import type { Entry } from '@/data/credits'
import { cn } from '@/lib/cn'
import { entryTitle, lotName, signed } from '@/strings/credits'
import { fullDate, shortDate } from '@/strings/dates'
import { formatCredits } from '@/strings/numbers'

type Props = { entries: Entry[]; prices: CreditPrice[] }

const HEAD = 'pb-2 text-xs font-medium text-muted-foreground'
const WIDE_ONLY = 'hidden sm:table-cell'

/** Five columns; on a phone date and lot move under what happened. */
export function StatementTable({ entries, prices }: Props) {
  return (
    <table className="w-full text-sm">
      <caption className="sr-only">Movimenti dei crediti, dal più recente</caption>
      <thead>
        <tr className="border-b text-left align-bottom">
          <th scope="col" className={cn(HEAD, WIDE_ONLY, 'pr-4')}>
            Data
          </th>
          <th scope="col" className={cn(HEAD, 'pr-4')}>
            Cosa
          </th>
          <th scope="col" className={cn(HEAD, WIDE_ONLY, 'pr-4')}>
            Provenienza
          </th>
          <th scope="col" className={cn(HEAD, 'pr-4 text-right')}>
            Crediti
          </th>
          <th scope="col" className={cn(HEAD, 'text-right')}>
            Saldo
          </th>
        </tr>
      </thead>
      <tbody className="divide-y">
        {entries.map((entry) => (
          <Row key={entry.id} entry={entry} title={entryTitle(entry, prices)} />
        ))}
      </tbody>
    </table>
  )
}

function Row({ entry, title }: { entry: Entry; title: string }) {
  const lot = `${lotName(entry.lot_kind)} del ${shortDate(entry.lot_created_at)}`
  const date = (
    <time dateTime={entry.created_at} title={fullDate(entry.created_at)}>
      {shortDate(entry.created_at)}
    </time>
  )
  return (
    <tr className="align-top">
      <td className={cn(WIDE_ONLY, 'py-3 pr-4 whitespace-nowrap text-muted-foreground tabular')}>{date}</td>
      <td className="py-3 pr-4">
        <span className="font-medium break-words">{title}</span>
        <span className="mt-0.5 block text-xs text-muted-foreground sm:hidden">
          {date} · {lot}
        </span>
      </td>
      <td className={cn(WIDE_ONLY, 'py-3 pr-4 text-muted-foreground')}>{lot}</td>
      <td
        className={cn('py-3 pr-4 text-right font-medium whitespace-nowrap tabular', entry.amount > 0 && 'text-primary')}
      >
        {signed(entry.amount)}
      </td>
      <td className="py-3 text-right whitespace-nowrap tabular">{formatCredits(entry.balance_after)}</td>
    </tr>
  )
}
