/** What hangs on a contact besides work: their documents, invoices that are not paid, and what Socio remembers of them. */
import { queryOptions } from '@tanstack/react-query'

import { contactsKey } from '@/data/contacts-key'
import { NAMED, NUMBER } from '@/data/documents'
import type { WholeInvoice } from '@/data/invoices'
import { unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import { supabase } from '@/lib/supabase'

const AT_MOST = 5

/** The newest, and how many there are. */
export function documentsAboutQuery(contactId: string) {
  return queryOptions({
    queryKey: [...contactsKey, 'documents', contactId],
    queryFn: async () => {
      await currentUser()
      const answer = await supabase
        .from('documents')
        .select(`${NAMED}, created_at`, { count: 'exact' })
        .eq('numbers.key', NUMBER)
        .eq('contact_id', contactId)
        .is('deleted_at', null)
        .order('created_at', { ascending: false })
        .order('id', { ascending: false })
        .limit(AT_MOST)
      return { documents: unwrap(answer), count: answer.count ?? 0 }
    },
  })
}

type OpenInvoice = Pick<
  WholeInvoice,
  'id' | 'document_id' | 'number' | 'direction' | 'issued_on' | 'open_cents' | 'currency'
>

/** Not paid yet, the oldest first; what counts in another file is there once. */
export function openInvoicesQuery(contactId: string) {
  return queryOptions({
    queryKey: [...contactsKey, 'invoices', contactId],
    queryFn: async () => {
      await currentUser()
      return unwrap(
        await supabase
          .from('invoice_register')
          .select('id, document_id, number, direction, issued_on, open_cents, currency')
          .eq('contact_id', contactId)
          .is('paid_on', null)
          .neq('kind', 'autofattura')
          .is('deleted_at', null)
          .is('twin', null)
          .order('issued_on')
          .order('id')
          .limit(AT_MOST),
      ) as OpenInvoice[]
    },
  })
}

/** What it may use, newest first. */
export function memoriesAboutQuery(contactId: string) {
  return queryOptions({
    queryKey: [...contactsKey, 'memories', contactId],
    queryFn: async () => {
      await currentUser()
      return unwrap(
        await supabase
          .from('memories')
          .select('id, body')
          .eq('contact_id', contactId)
          .eq('state', 'attiva')
          .order('updated_at', { ascending: false })
          .order('id')
          .limit(AT_MOST),
      )
    },
  })
}
