/** What the server's assistant can do: whether it has a model, which agents, what an answer costs. */
import { type QueryClient, queryOptions } from '@tanstack/react-query'

import type { AgentChoice, ChatMode } from '@/data/chat'
import { invoke, read } from '@/data/functions'
import { currentUser } from '@/data/session'

export type ChatSettings = {
  /** Whether there is a model to ask; without one there is «Modalità locale». */
  ai: boolean
  /** Whether an admin has stopped the AI for everybody: then there is no model for now. */
  ai_stopped: boolean
  /** Whether the person wants no provider of a model at all: then there is none for them. */
  local_only: boolean
  /** Whether that model's provider writes down voice notes. */
  voice: boolean
  model: string | null
  provider: string | null
  /** Where it is asked. */
  host: string | null
  in_eu: boolean | null
  /** Whether the person has agreed that their questions go there. */
  is_agreed: boolean
  agents: { id: AgentChoice; name: string; does: string }[]
  /** In credits, at most. */
  prices: { chat: number; chat_deep: number; advice: number; chat_local: number; voice_minute: number; letter: number }
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

/** Writes down that questions may go to the provider at `host`. @throws as `invoke` */
export async function agreeToProvider(client: QueryClient, userId: string, host: string | null): Promise<void> {
  const agreed = await invoke<ChatSettings>('chat_settings', { host })
  client.setQueryData(chatSettingsQuery(userId).queryKey, agreed)
}

type Wish = { mode: ChatMode; agent: AgentChoice; isDeep: boolean }

/** What an answer costs at most. */
export function quoteOf(prices: ChatSettings['prices'], { mode, agent, isDeep }: Wish): number {
  if (mode === 'locale') return prices.chat_local
  if (agent === 'consiglio') return prices.advice
  return isDeep ? prices.chat_deep : prices.chat
}
