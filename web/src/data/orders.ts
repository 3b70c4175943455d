/** credit_orders: what the caller bought, and the way out of it. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import type { Billing } from '@/data/checkout'
import { invoke } from '@/data/functions'
import { creditsKey, type Lot } from '@/data/credits'
import { unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import type { Tables } from '@/data/tables'
import { addDays, romeDay } from '@/lib/rome-time'
import { supabase } from '@/lib/supabase'

const COLUMNS =
  'id, pack_id, amount_cents, credits, bonus, state, email, billing, checkout_url, created_at, expires_at, submitted_at, paid_at, withdrawn_at, refunded_cents, taken_cents, consumer, withdrawal_waiver_at'

export type Order = Pick<
  Tables<'credit_orders'>,
  | 'id'
  | 'pack_id'
  | 'amount_cents'
  | 'credits'
  | 'bonus'
  | 'state'
  | 'email'
  | 'checkout_url'
  | 'created_at'
  | 'expires_at'
  | 'submitted_at'
  | 'paid_at'
  | 'withdrawn_at'
  | 'refunded_cents'
  | 'taken_cents'
  | 'consumer'
  | 'withdrawal_waiver_at'
> & { billing: Billing | null }

const LIMIT = 100
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/** How long a buyer may withdraw: the longer of the two guarantees (STORE-14). */
const WITHDRAWAL_DAYS = 30
/** How long the law lets a consumer (art. 52 Codice del consumo). */
const LEGAL_DAYS = 14

/** Newest first. */
export function ordersQuery(userId: string) {
  return queryOptions({
    queryKey: [...creditsKey(userId), 'orders'],
    queryFn: async (): Promise<Order[]> => {
      await currentUser()
      const rows = await supabase
        .from('credit_orders')
        .select(COLUMNS)
        .order('created_at', { ascending: false })
        .limit(LIMIT)
      return unwrap(rows) as Order[]
    },
  })
}

/** One order; null when the caller has no such order. */
export function orderQuery(userId: string, orderId: string) {
  return queryOptions({
    queryKey: [...creditsKey(userId), 'orders', orderId],
    queryFn: async (): Promise<Order | null> => {
      await currentUser()
      // The address of the page is anybody's text; the database would refuse it with an error.
      if (!UUID.test(orderId)) return null
      return unwrap(
        await supabase.from('credit_orders').select(COLUMNS).eq('id', orderId).maybeSingle(),
      ) as Order | null
    },
  })
}

/** Whether credits that were used are given back too: in the legal days, for who never asked for them at once. */
function isOwedWhole({ consumer, withdrawal_waiver_at, paid_at }: Order, now: Date): boolean {
  if (!consumer || withdrawal_waiver_at !== null || paid_at === null) return false
  return romeDay(now) <= addDays(romeDay(new Date(paid_at)), LEGAL_DAYS)
}

/**
 * What a withdrawal would give back now: the price of the credits that are left, or all of it (private.withdraw_order
 * says the last word).
 */
export function refundOf(order: Order, lots: Lot[], now: Date): { cents: number; unused: number; held: number } {
  const own = lots.filter((lot) => lot.order_id === order.id)
  const paid = own.filter((lot) => lot.paid_cents > 0)
  const worth = paid.reduce((sum, lot) => sum + Math.floor((lot.paid_cents * lot.remaining) / lot.amount), 0)
  return {
    cents: Math.max(
      0,
      Math.min(isOwedWhole(order, now) ? order.amount_cents : worth, order.amount_cents - order.taken_cents),
    ),
    unused: paid.reduce((sum, lot) => sum + lot.remaining, 0),
    held: own.reduce((sum, lot) => sum + lot.held, 0),
  }
}

/** The last day on which the contract can be withdrawn from, in Italy; null when that is not (or no longer) possible. */
export function withdrawalDeadline(order: Order, now: Date): string | null {
  if (order.state !== 'fulfilled' || order.paid_at === null) return null
  const last = addDays(romeDay(order.paid_at), WITHDRAWAL_DAYS)
  return romeDay(now) <= last ? last : null
}

type Refund = { amount_cents: number; credits: number }

/** Ends the contract of an order; the server decides what is given back. @throws FunctionError */
export function useWithdraw(userId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (orderId: string) => invoke<Refund>('withdraw_order', { orderId }),
    // Also after a failure: it may have happened nevertheless.
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: creditsKey(userId) }),
        client.invalidateQueries({ queryKey: ['credit_wallets', userId] }),
      ]),
  })
}
