/** /settings/credits/orders/:orderId: the receipt of an order, made to be printed. */
import { useQuery } from '@tanstack/react-query'
import { ChevronLeftIcon, PrinterIcon } from 'lucide-react'
import { Link, useParams } from 'react-router'

import { LoadError } from '@/components/load-error'
import { PageMessage } from '@/components/page-message'
import { PageTitle } from '@/components/page-title'
import { Button } from '@/components/ui/button'
import { Skeleton } from '@/components/ui/skeleton'
import { useUser } from '@/data/auth-context'
import { orderQuery } from '@/data/orders'
import { Receipt } from '@/features/settings/credits/receipt'
import { paths } from '@/paths'

export default function ReceiptPage() {
  const { id } = useUser()
  const { orderId = '' } = useParams()
  const { data: order, isPending, refetch } = useQuery(orderQuery(id, orderId))
  if (order === null || (order && !order.paid_at)) {
    return (
      <PageMessage
        title="Nessuna ricevuta"
        text="Non troviamo un acquisto pagato con questo numero nel tuo account."
        action={{ label: 'Vai ai tuoi crediti', to: paths.settingsCredits }}
      />
    )
  }
  return (
    <div className="column grid max-w-3xl gap-6 py-6 sm:py-8 print:p-0">
      <PageTitle>Ricevuta</PageTitle>
      <div className="flex items-center justify-between print:hidden">
        <Link
          to={paths.settingsCredits}
          className="-ml-1 inline-flex min-h-11 items-center gap-1 text-sm text-muted-foreground hover:text-foreground"
        >
          <ChevronLeftIcon aria-hidden className="size-[18px]" />
          Crediti
        </Link>
        {order && (
          <Button variant="outline" onClick={() => window.print()}>
            <PrinterIcon aria-hidden />
            Stampa
          </Button>
        )}
      </div>
      {isPending && (
        <div aria-busy>
          <Skeleton className="h-96" />
        </div>
      )}
      {!isPending && !order && (
        <LoadError text="Non riusciamo a leggere la ricevuta in questo momento." onRetry={() => void refetch()} />
      )}
      {order && <Receipt order={order} />}
    </div>
  )
}
