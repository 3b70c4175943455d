/** Single rows that an answer cites, as far as the sheet beside the conversation shows them. */
import { queryOptions } from '@tanstack/react-query'

import { chatKey } from '@/data/chat'
import { unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import { supabase } from '@/lib/supabase'

const CONTACT = 'contact:contacts'

/** One row by its id, asked for anew whenever the sheet opens; null when it is gone. */
function recordQuery<T>(userId: string, kind: string, id: string, fetch: () => PromiseLike<T>) {
  return queryOptions({
    queryKey: [...chatKey(userId), 'record', kind, id],
    queryFn: async () => {
      await currentUser()
      return fetch()
    },
    staleTime: 0,
  })
}

export function dealRecordQuery(userId: string, id: string) {
  return recordQuery(userId, 'deal', id, async () =>
    unwrap(
      await supabase
        .from('deals')
        .select(
          `title, amount_cents, currency, expected_close, won_at, lost_at, stage:stages(name), ${CONTACT}!deals_user_id_contact_id_fkey(id, name)`,
        )
        .eq('id', id)
        .is('deleted_at', null)
        .maybeSingle(),
    ),
  )
}

export function invoiceRecordQuery(userId: string, id: string) {
  return recordQuery(userId, 'invoice', id, async () =>
    unwrap(
      await supabase
        .from('invoices')
        .select(
          `document_id, number, direction, issued_on, total_cents, due_cents, currency, paid_on, counterparty_name, schedules:invoice_schedules(due_on, amount_cents, paid_on), ${CONTACT}!invoices_user_id_contact_id_fkey(id, name)`,
        )
        .eq('id', id)
        .order('due_on', { referencedTable: 'invoice_schedules' })
        .maybeSingle(),
    ),
  )
}

export function noteRecordQuery(userId: string, id: string) {
  return recordQuery(userId, 'note', id, async () =>
    unwrap(
      await supabase
        .from('notes')
        .select(`body, created_at, ${CONTACT}!notes_user_id_contact_id_fkey(id, name)`)
        .eq('id', id)
        .is('deleted_at', null)
        .maybeSingle(),
    ),
  )
}
