/** Mails by their words, and those that stand at a contact, an invoice or a deal. */
import { queryOptions } from '@tanstack/react-query'

import type { Database } from '@/data/database.gen'
import { inboxKey } from '@/data/inbox-key'
import { unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import { supabase } from '@/lib/supabase'

type Functions = Database['public']['Functions']
type Nullable<Row, Key extends keyof Row> = Omit<Row, Key> & { [K in Key]: Row[K] | null }

/** A mail that was found; one of the outbox may begin no conversation. */
export type FoundMail = Nullable<
  Functions['search_mails']['Returns'][number],
  'thread_id' | 'contact_id' | 'party' | 'snippet' | 'marks'
>
/** A conversation, or a single letter of the outbox. */
export type RelatedMail = Nullable<
  Functions['related_mails']['Returns'][number],
  'thread_id' | 'outgoing_id' | 'contact_id' | 'party' | 'state'
>
/** What mails are about; exactly one. */
export type MailSubject = { contactId: string } | { invoiceId: string } | { dealId: string }

/** The latest mails in which all words stand, one of each conversation. */
export function mailSearchQuery(userId: string, text: string, limit = 30) {
  return queryOptions({
    queryKey: [...inboxKey(userId), 'search', text, limit],
    queryFn: async (): Promise<FoundMail[]> => {
      await currentUser()
      return unwrap(await supabase.rpc('search_mails', { _query: text, _limit: limit }))
    },
  })
}

/** The latest first. */
export function relatedMailsQuery(userId: string, about: MailSubject) {
  return queryOptions({
    queryKey: [...inboxKey(userId), 'related', about],
    queryFn: async (): Promise<RelatedMail[]> => {
      await currentUser()
      const asked =
        'contactId' in about
          ? { _contact_id: about.contactId }
          : 'invoiceId' in about
            ? { _invoice_id: about.invoiceId }
            : { _deal_id: about.dealId }
      return unwrap(await supabase.rpc('related_mails', asked))
    },
  })
}
