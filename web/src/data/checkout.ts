/** Buying a pack: the functions of the server around the checkout, and who the last invoice was for. */
import { queryOptions } from '@tanstack/react-query'

import type { PackId } from '@/data/catalog'
import { invoke } from '@/data/functions'
import { unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import type { Enums } from '@/data/tables'
import { FunctionError } from '@/lib/server-errors'
import { supabase } from '@/lib/supabase'

/** Who the invoice is for; a field that does not apply is left out. */
export type Billing = {
  kind: 'persona' | 'azienda'
  name: string
  vat_number?: string
  tax_code?: string
  sdi_code?: string
  pec?: string
  address: string
  postal_code: string
  city: string
  province: string
}

/** What became of a purchase; `submitted`: a direct debit is on its way, `unknown`: nothing of the caller's. */
export type Outcome = { state: Enums<'order_state'> | 'submitted'; credits: number } | { state: 'unknown' }

type Order = {
  packType: PackId
  /** Who filled in the form: the server refuses anybody else, such as who has signed in meanwhile. */
  userId: string
  billing: Billing
  /** The buyer wants the credits at once and knows that used ones cannot be given back. */
  withdrawalWaiver: boolean
}

/** Opens a checkout and answers where it is; price and credits are the server's. */
export async function createCheckout(order: Order): Promise<string> {
  await currentUser()
  const { url } = await invoke<{ url?: string }>('create_checkout', order)
  if (!url) throw new Error('the checkout has no address')
  return url
}

async function fetchOutcome(sessionId: string): Promise<Outcome> {
  try {
    return await invoke('checkout_status', { sessionId })
  } catch (error) {
    if (error instanceof FunctionError && error.status === 404) return { state: 'unknown' }
    throw error
  }
}

const WAIT_MS = 2_000

/** Follows a purchase until its outcome is known; asking also fulfils it, once the payment is there. */
export function outcomeQuery(sessionId: string) {
  return queryOptions({
    queryKey: ['checkout', sessionId],
    queryFn: () => fetchOutcome(sessionId),
    // Also after a failed answer: the credits come, and the page shall see them.
    refetchInterval: ({ state }) => (!state.data || state.data.state === 'pending' ? WAIT_MS : false),
    refetchIntervalInBackground: true,
  })
}

/** The billing data of the caller's last order; null before the first. */
export async function lastBilling(): Promise<Billing | null> {
  const user = await currentUser()
  const orders = unwrap(
    await supabase
      .from('credit_orders')
      .select('billing')
      .eq('user_id', user.id)
      .not('billing', 'is', null)
      .order('created_at', { ascending: false })
      .limit(1),
  )
  return (orders[0]?.billing ?? null) as Billing | null
}
