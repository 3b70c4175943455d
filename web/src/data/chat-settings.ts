/** What the server's assistant can do: whether it has a model, which agents, what an answer costs. */
import { queryOptions } from '@tanstack/react-query'

import type { AgentChoice, ChatMode } from '@/data/chat'
import { read } from '@/data/functions'
import { currentUser } from '@/data/session'

export type ChatSettings = {
  /** Whether there is a model to ask; without one there is «Modalità locale». */
  ai: boolean
  model: string | null
  provider: string | null
  in_eu: boolean | null
  agents: { id: AgentChoice; name: string; does: string }[]
  /** In credits, at most. */
  prices: { chat: number; chat_deep: number; advice: number; chat_local: number }
  limits: { characters: number }
}

export function chatSettingsQuery(userId: string) {
  return queryOptions({
    queryKey: ['chat-settings', userId],
    queryFn: async () => {
      await currentUser()
      return read<ChatSettings>('chat_settings')
    },
    staleTime: 5 * 60_000,
  })
}

type Wish = { mode: ChatMode; agent: AgentChoice; isDeep: boolean }

/** What an answer costs at most. */
export function quoteOf(prices: ChatSettings['prices'], { mode, agent, isDeep }: Wish): number {
  if (mode === 'locale') return prices.chat_local
  if (agent === 'consiglio') return prices.advice
  return isDeep ? prices.chat_deep : prices.chat
}
