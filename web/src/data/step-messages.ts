/** What became of the messages of steps: the outbox has them under the id of their step. */
import { queryOptions } from '@tanstack/react-query'

import { inboxKey } from '@/data/inbox-key'
import { LETTER, type SentLetter } from '@/data/letters'
import { pollingInterval, unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import type { Tables } from '@/data/tables'
import { whatsappKey } from '@/data/whatsapp-key'
import { supabase } from '@/lib/supabase'

export type StepMail = SentLetter & { key: string }
export type StepChat = Pick<
  Tables<'whatsapp_messages'>,
  'key' | 'channel_id' | 'state' | 'error' | 'error_detail' | 'delivered_at' | 'read_at'
>

/** The mails and certified mails of these steps. */
export function stepMailsQuery(userId: string, ids: readonly string[]) {
  return queryOptions({
    queryKey: [...inboxKey(userId), 'steps', ids],
    queryFn: async (): Promise<StepMail[]> => {
      await currentUser()
      return unwrap(await supabase.from('outgoing_mails').select(`key, ${LETTER}`).in('key', ids))
    },
    enabled: ids.length > 0,
    refetchInterval: pollingInterval,
  })
}

/** The WhatsApp messages of these steps. */
export function stepChatsQuery(userId: string, ids: readonly string[]) {
  return queryOptions({
    queryKey: [...whatsappKey(userId), 'steps', ids],
    queryFn: async (): Promise<StepChat[]> => {
      await currentUser()
      return unwrap(
        await supabase
          .from('whatsapp_messages')
          .select('key, channel_id, state, error, error_detail, delivered_at, read_at')
          .in('key', ids),
      )
    },
    enabled: ids.length > 0,
    refetchInterval: pollingInterval,
  })
}
