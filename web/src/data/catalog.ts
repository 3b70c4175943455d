/**
 * The catalogue: plans, packs, what an action costs, and every claim the pages make.
 *
 * Pages start from the edition of the build, which is also what the prerendered text says, and follow the server's once
 * it has answered. Without supabase-js and the query cache: the public pages have to be light.
 */
import { useSyncExternalStore } from 'react'

import built from '@/data/catalog.gen.json'
import { clientConfig } from '@/lib/config'

export type PackId = 'starter' | 'pro' | 'enterprise'
export type PlanId = 'free' | 'starter' | 'pro' | 'business'

/** Credits sold once; `packType` of checkout is its id. */
export type Pack = {
  id: PackId
  /** On /pricing. */
  name: string
  /** The purchase button of the store. */
  store_name: string
  description: string
  credits: number
  bonus: number
  price_cents: number
  currency: string
  features: string[]
  popular: boolean
  badge: string | null
}

export type Plan = {
  id: PlanId
  name: string
  price_cents: number
  currency: string
  period: 'forever' | 'month' | 'year'
  /** Each month; of a plan forever once, at registration. */
  credits: number
  features: string[]
  highlight: boolean
  badge: string | null
  savings: string | null
}

export type CreditPrice = {
  action: string
  name: string
  min_credits: number
  max_credits: number
  note: string | null
}

export type ClaimKey = keyof (typeof built)['claims']
/** What the pages assert; `base` is the small print of the reckoning. */
export type Claim = { text: string; value?: number | null; base?: string | null }

export type Catalog = {
  version: number
  packs: Pack[]
  plans: Plan[]
  credit_prices: CreditPrice[]
  claims: Record<ClaimKey, Claim>
}

/** The plan with this id that will cost something; undefined for any other text. */
export const paidPlan = (id: unknown, { plans }: Catalog): Plan | undefined =>
  plans.find((plan) => plan.id === id && plan.price_cents > 0)

const initial = built as Catalog
let current = initial
let asked = false
const listeners = new Set<() => void>()

/** Asks the server for the catalogue in force; published editions never change, so another number is a new one. */
export async function refreshCatalog(): Promise<Catalog> {
  const { supabaseUrl, publishableKey } = clientConfig()
  try {
    const answer = await fetch(`${supabaseUrl}/rest/v1/rpc/catalog`, { headers: { apikey: publishableKey } })
    const newest = (await answer.json()) as Catalog
    if (answer.ok && newest.version && newest.version !== current.version) {
      // A claim that the server no longer makes keeps the words of the build: the page has a place for it.
      current = { ...newest, claims: { ...initial.claims, ...newest.claims } }
      for (const listener of listeners) listener()
    }
  } catch {
    // Offline: what is known stands, and checkout takes its prices from the server in any case.
  }
  return current
}

/** Once in the life of the page, after it has loaded: the first paint waits for nothing. */
function askOnce(): void {
  if (asked) return
  asked = true
  if (document.readyState === 'complete') void refreshCatalog()
  else window.addEventListener('load', () => void refreshCatalog(), { once: true })
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  askOnce()
  return () => listeners.delete(listener)
}

/** The catalogue in force; safe to render on the server. */
export function useCatalog(): Catalog {
  return useSyncExternalStore(
    subscribe,
    () => current,
    () => initial,
  )
}
