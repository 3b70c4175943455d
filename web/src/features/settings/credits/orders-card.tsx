import { useQuery } from '@tanstack/react-query'
import { PackageIcon } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router'

import { Badge } from '@/components/ui/badge'
import { Button } from '@/components/ui/button'
import { Card, CardDescription, CardHeader, CardTitle } from '@/components/ui/card'
import { type Order, ordersQuery, withdrawalDeadline } from '@/data/orders'
import { Withdrawal } from '@/features/settings/credits/withdrawal'
import { Entry, EntryList } from '@/features/settings/entry-list'
import { paths } from '@/paths'
import { credits, orderStates } from '@/strings/credits'
import { dayAndMonth } from '@/strings/dates'
import { longDay } from '@/strings/days'
import { formatEuro } from '@/strings/numbers'

/** What was bought, with its receipt and the way out of the contract. */
export function OrdersCard({ userId }: { userId: string }) {
  const query = useQuery(ordersQuery(userId))
  const [leaving, setLeaving] = useState<Order | null>(null)
  return (
    <Card>
      <CardHeader>
        <CardTitle>Ordini</CardTitle>
        <CardDescription>
          Hai 30 giorni per cambiare idea: ti restituiamo il prezzo dei crediti non usati.
        </CardDescription>
      </CardHeader>
      <EntryList
        query={query}
        label="Ordini"
        empty="Nessun ordine: i crediti che compri compaiono qui, con la ricevuta."
        error="Non riusciamo a leggere i tuoi ordini in questo momento."
        renderRow={(order) => <OrderRow key={order.id} order={order} onLeave={() => setLeaving(order)} />}
      />
      {leaving && <Withdrawal userId={userId} order={leaving} onClose={() => setLeaving(null)} />}
    </Card>
  )
}

function OrderRow({ order, onLeave }: { order: Order; onLeave: () => void }) {
  const [now] = useState(() => new Date())
  const deadline = withdrawalDeadline(order, now)
  const what = credits(order.credits + order.bonus)
  const isUnderWay = order.state === 'pending' && order.submitted_at !== null
  return (
    <Entry
      icon={PackageIcon}
      title={
        <>
          {what} · {formatEuro(order.amount_cents)}{' '}
          <Badge variant={order.state === 'fulfilled' ? 'secondary' : 'outline'}>
            {isUnderWay ? 'Pagamento in corso' : orderStates[order.state]}
          </Badge>
        </>
      }
      text={
        <>
          <time dateTime={order.created_at}>{dayAndMonth(order.created_at)}</time>
          {isUnderWay && ' · con l’addebito diretto la banca può impiegare alcuni giorni'}
          {order.state === 'disputed' &&
            !order.withdrawn_at &&
            ' · il pagamento è contestato alla banca: non si può anche recedere'}
          {order.withdrawn_at && ` · recesso del ${dayAndMonth(order.withdrawn_at)}`}
          {order.refunded_cents > 0 && ` · rimborsati ${formatEuro(order.refunded_cents)}`}
          {deadline && ` · puoi recedere fino al ${longDay(deadline)}`}
        </>
      }
    >
      {order.state === 'pending' && !isUnderWay && order.checkout_url && new Date(order.expires_at) > now && (
        <Button variant="ghost" size="sm" asChild>
          <a href={order.checkout_url}>Completa il pagamento</a>
        </Button>
      )}
      {order.paid_at && (
        <Button variant="ghost" size="sm" asChild>
          <Link to={paths.settingsOrder(order.id)} aria-label={`Ricevuta: ${what}`}>
            Ricevuta
          </Link>
        </Button>
      )}
      {deadline && (
        <Button variant="ghost" size="sm" onClick={onLeave}>
          Recedere dal contratto qui
        </Button>
      )}
    </Entry>
  )
}
