/** Mails of the outbox, as they are read: those that left or wait, and those that came back. */
import { queryOptions } from '@tanstack/react-query'

import { inboxKey } from '@/data/inbox-key'
import { pollingInterval, unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import type { Tables } from '@/data/tables'
import { supabase } from '@/lib/supabase'

export type SentLetter = Pick<
  Tables<'outgoing_mails'>,
  | 'id'
  | 'contact_id'
  | 'recipient'
  | 'subject'
  | 'body'
  | 'state'
  | 'error'
  | 'reply'
  | 'is_certified'
  | 'not_before'
  | 'sent_at'
  | 'created_at'
> & { mail_reports: Pick<Tables<'mail_reports'>, 'kind' | 'at' | 'is_external'>[] }
const AT_MOST = 100
/** The columns of a letter with what servers said of it. */
export const LETTER =
  'id, contact_id, recipient, subject, body, state, error, reply, is_certified, not_before, sent_at, created_at, mail_reports(kind, at, is_external)'

/** Letters that have left or should have, or that wait for their time. */
export function sentLettersQuery(userId: string, isSent: boolean) {
  return queryOptions({
    queryKey: [...inboxKey(userId), 'letters', isSent],
    queryFn: async (): Promise<SentLetter[]> => {
      await currentUser()
      return unwrap(
        await supabase
          .from('outgoing_mails')
          .select(LETTER)
          .in('state', isSent ? ['sending', 'sent', 'failed', 'uncertain'] : ['queued'])
          .order('created_at', { ascending: false })
          .limit(AT_MOST),
      )
    },
    refetchInterval: pollingInterval,
  })
}

const DOUBT_DAYS = 7

/** How many mails to this address came back in the last days. */
export function bouncesQuery(userId: string, address: string) {
  return queryOptions({
    queryKey: [...inboxKey(userId), 'bounces', address],
    queryFn: async () => {
      await currentUser()
      const since = new Date(Date.now() - DOUBT_DAYS * 86_400_000).toISOString()
      return unwrap(
        await supabase
          .from('outgoing_mails')
          .select('id')
          .eq('recipient', address)
          .eq('error', 'bounced')
          .gte('created_at', since)
          .limit(10),
      ).length
    },
  })
}
