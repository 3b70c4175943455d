import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { toast } from 'sonner'

import { ConfirmDialog } from '@/components/confirm-dialog'
import { lotsQuery } from '@/data/credits'
import { type Order, refundOf, useWithdraw } from '@/data/orders'
import { FunctionError } from '@/lib/server-errors'
import { credits } from '@/strings/credits'
import { dayAndMonth } from '@/strings/dates'
import { formatEuro } from '@/strings/numbers'

type Props = { userId: string; order: Order; onClose: () => void }

/** The second step of the withdrawal (art. 54-bis Codice del consumo): what will happen, then «Conferma recesso». */
export function Withdrawal({ userId, order, onClose }: Props) {
  const lots = useQuery(lotsQuery(userId))
  const [now] = useState(() => new Date())
  const withdraw = useWithdraw(userId)
  const refund = lots.data && refundOf(order, lots.data, now)

  function confirm(): void {
    withdraw.mutate(order.id, {
      onSuccess: ({ amount_cents }) => {
        toast.success('Recesso confermato', {
          description: `Ti restituiamo ${formatEuro(amount_cents)}: la conferma è nella tua posta.`,
        })
        onClose()
      },
      onError: (error) =>
        toast.error(
          error instanceof FunctionError ? error.message : 'Non siamo riusciti a registrare il recesso. Riprova.',
        ),
    })
  }

  return (
    <ConfirmDialog
      isOpen
      title="Recedere dal contratto?"
      text={
        <span className="grid gap-2">
          <span>
            Ordine del {dayAndMonth(order.created_at)}: {credits(order.credits)}
            {order.bonus > 0 && ` e ${order.bonus} in omaggio`}, {formatEuro(order.amount_cents)}.
          </span>
          {refund && (
            <span>
              {refund.cents === 0
                ? 'Hai usato tutti i crediti di questo ordine: non resta nulla da restituire.'
                : `${refund.unused > 0 ? `Non hai usato ${credits(refund.unused)}: ti` : 'Ti'} restituiamo ${formatEuro(refund.cents)} sul metodo con cui hai pagato. I crediti rimasti, anche in omaggio, escono dal saldo.`}
            </span>
          )}
          {refund && refund.held > 0 && (
            <span>{credits(refund.held)} sono in uso ora: aspetta che il lavoro finisca, poi riprova.</span>
          )}
          <span>Riceverai la conferma all’indirizzo {order.email ?? 'del tuo account'}.</span>
        </span>
      }
      confirm="Conferma recesso"
      isBusy={withdraw.isPending}
      onConfirm={confirm}
      onClose={onClose}
    />
  )
}
