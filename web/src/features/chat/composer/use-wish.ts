/** How the person wants to be answered: by whom, and with a model or without. Without a key there is only one way. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'

import type { AgentChoice, ChatMode } from '@/data/chat'
import { type ChatSettings, chatSettingsQuery, quoteOf } from '@/data/chat-settings'
import { local } from '@/lib/storage'

/** «ia» and «approfondita» ask a model. */
export type Way = 'locale' | 'ia' | 'approfondita'
export type Wish = { agent: AgentChoice; mode: ChatMode; isDeep: boolean }
/** With the price that stands beside it. */
export type SettledWish = Wish & { maxCredits: number }

const KEY = 'socio.chat.way'
const isWay = (value: string | null): value is Way => value === 'locale' || value === 'ia' || value === 'approfondita'

/** `given` is who answers in this conversation until somebody else is chosen. */
export function useWish(userId: string, given: AgentChoice) {
  const client = useQueryClient()
  const settings = useQuery(chatSettingsQuery(userId))
  const [chosen, setAgent] = useState<AgentChoice | null>(null)
  const agent = chosen ?? given
  const [wanted, setWanted] = useState(() => {
    const stored = local.getItem(KEY)
    return isWay(stored) ? stored : 'ia'
  })
  const wayIn = (known: ChatSettings | undefined): Way => (known?.ai ? wanted : 'locale')
  const wishIn = (known: ChatSettings | undefined, way = wayIn(known)): Wish => ({
    agent,
    mode: way === 'locale' ? 'locale' : 'ia',
    isDeep: way === 'approfondita',
  })
  const wish = wishIn(settings.data)
  const prices = settings.data?.prices

  return {
    wish,
    /** The same, once it is known whether there is a model: nobody who wants one is answered without. */
    settled: async (mode?: 'locale'): Promise<SettledWish> => {
      const known = await client.ensureQueryData(chatSettingsQuery(userId)).catch(() => undefined)
      const settled = wishIn(known, mode)
      return { ...settled, maxCredits: known ? quoteOf(known.prices, settled) : 0 }
    },
    way: wayIn(settings.data),
    settings: settings.data,
    isKnown: settings.data !== undefined,
    longest: settings.data?.limits.characters ?? 20_000,
    /** In credits, at most. */
    quote: prices ? quoteOf(prices, wish) : 0,
    setAgent: (next: AgentChoice) => setAgent(next),
    setWay: (next: Way) => {
      local.setItem(KEY, next)
      setWanted(next)
    },
  }
}
