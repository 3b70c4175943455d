/** WhatsApp messages by their words, and one of them in its conversation. */
import { queryOptions } from '@tanstack/react-query'

import type { Database } from '@/data/database.gen'
import { unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import { whatsappKey } from '@/data/whatsapp-key'
import { supabase } from '@/lib/supabase'

export type FoundWhatsapp = Database['public']['Functions']['search_whatsapp']['Returns'][number]

/** So many messages are shown after the one that is looked for; fewer than the newest page has. */
const SHOWN_AFTER = 25

/** The latest messages in which all words stand. */
export function whatsappSearchQuery(userId: string, text: string, limit: number) {
  return queryOptions({
    queryKey: [...whatsappKey(userId), 'search', text, limit],
    queryFn: async (): Promise<FoundWhatsapp[]> => {
      await currentUser()
      return unwrap(await supabase.rpc('search_whatsapp', { _query: text, _limit: limit }))
    },
  })
}

/** One message with the name of its contact; null when it is gone. */
export function whatsappMessageQuery(userId: string, messageId: string) {
  return queryOptions({
    queryKey: [...whatsappKey(userId), 'message', messageId],
    queryFn: async () => {
      await currentUser()
      return unwrap(
        await supabase
          .from('whatsapp_messages')
          .select('channel_id, direction, summary, at, contacts(name)')
          .eq('id', messageId)
          .maybeSingle(),
      )
    },
  })
}

const timesOf = (chatId: string) => supabase.from('whatsapp_messages').select('at').eq('channel_id', chatId)

/**
 * Until when a conversation has to be read so that a message and some after it are on its first page; null when that is
 * the newest page.
 */
export function whatsappUntilQuery(userId: string, chatId: string, messageId: string) {
  return queryOptions({
    // Not under whatsappKey: messages that arrive meanwhile do not move what is being read.
    queryKey: ['whatsapp_until', userId, chatId, messageId],
    queryFn: async (): Promise<string | null> => {
      await currentUser()
      const wanted = unwrap(await timesOf(chatId).eq('id', messageId).maybeSingle())
      if (!wanted) return null
      const later = await timesOf(chatId)
        .gt('at', wanted.at)
        .order('at')
        .range(SHOWN_AFTER - 1, SHOWN_AFTER - 1)
      return unwrap(later)[0]?.at ?? null
    },
    staleTime: Number.POSITIVE_INFINITY,
    // Asked again when it is opened again: the newest page has moved on by then.
    gcTime: 0,
    // A message that nobody can name opens the newest page.
    retry: false,
  })
}
