/** What the issued invoices of a year brought: the sums, the months as bars, and the way to what is due. */
import { useQuery } from '@tanstack/react-query'
import { ReceiptTextIcon } from 'lucide-react'
import { Link } from 'react-router'

import { EmptyState } from '@/components/empty-state'
import { LoadError } from '@/components/load-error'
import { Button } from '@/components/ui/button'
import { Card, CardDescription, CardHeader, CardTitle } from '@/components/ui/card'
import { Skeleton } from '@/components/ui/skeleton'
import { UnregisteredLine } from '@/components/unregistered-line'
import { hasIssuedQuery, type InvoicedMonth, invoicedQuery } from '@/data/invoices'
import { InvoicedChart } from '@/features/home/invoiced-chart'
import { cn } from '@/lib/cn'
import { paths } from '@/paths'
import { formatEuro } from '@/strings/numbers'

/** What is late is part of what is open: a credit note, which is never late, takes from both. */
const lateOf = (late: number, open: number): number => Math.min(late, Math.max(0, open))

const isZero = ({ collected_cents, open_cents }: InvoicedMonth): boolean => collected_cents === 0 && open_cents === 0

export function InvoicedCard({ userId }: { userId: string }) {
  const invoiced = useQuery(invoicedQuery(userId))
  const months = invoiced.data?.map((month) => ({
    ...month,
    late_cents: lateOf(month.late_cents, month.open_cents),
  }))
  const hasSums = months?.some((month) => !isZero(month)) ?? false
  const issued = useQuery({
    ...hasIssuedQuery(userId, months?.[0]?.month ?? ''),
    enabled: months !== undefined && !hasSums,
  })
  const isPending = invoiced.isPending || (!hasSums && issued.isLoading)
  const hasFailed = !isPending && (!months || (!hasSums && issued.data === undefined))
  const isEmpty = !hasSums && issued.data === false
  return (
    <Card className="gap-5" aria-busy={isPending}>
      <CardHeader>
        <CardTitle>Fatture emesse</CardTitle>
        <CardDescription>Gli ultimi 12 mesi, per data della fattura: quanto è entrato e quanto manca.</CardDescription>
      </CardHeader>
      {isPending && <Skeleton className="h-72" />}
      {hasFailed && (
        <LoadError
          text="Non riusciamo a leggere le fatture."
          onRetry={() => void (months ? issued : invoiced).refetch()}
        />
      )}
      {isEmpty && <Nothing />}
      {isEmpty && <UnregisteredLine userId={userId} direction="attiva" />}
      {months && (hasSums || issued.data) && (
        <>
          <Sums months={months} />
          <UnregisteredLine userId={userId} direction="attiva" />
          <InvoicedChart months={months} />
          <Button variant="outline" asChild>
            <Link to={paths.invoicesToCash}>Vedi che cosa incassare</Link>
          </Button>
        </>
      )}
    </Card>
  )
}

function Sums({ months }: { months: InvoicedMonth[] }) {
  const sum = (key: 'collected_cents' | 'open_cents' | 'late_cents') =>
    months.reduce((cents, month) => cents + month[key], 0)
  const open = sum('open_cents')
  const late = lateOf(sum('late_cents'), open)
  return (
    <dl className="grid grid-cols-2 gap-4 sm:grid-cols-3">
      <Sum name="Incassato" cents={sum('collected_cents')} />
      <Sum name="Da incassare" cents={open} />
      <Sum name="Di cui scaduto" cents={late} className={cn(late > 0 && 'text-error')} />
    </dl>
  )
}

function Sum({ name, cents, className }: { name: string; cents: number; className?: string }) {
  return (
    <div>
      <dt className="text-sm text-muted-foreground">{name}</dt>
      <dd className={cn('text-xl font-semibold tabular', className)}>{formatEuro(cents)}</dd>
    </div>
  )
}

function Nothing() {
  return (
    <EmptyState
      icon={ReceiptTextIcon}
      title="Ancora nessuna fattura emessa"
      text="Carica le fatture che hai emesso: se nel profilo c’è la tua partita IVA, Socio le riconosce e qui vedi che cosa è entrato e che cosa manca."
    >
      <Button variant="outline" asChild>
        <Link to={paths.documents}>Carica una fattura</Link>
      </Button>
    </EmptyState>
  )
}
