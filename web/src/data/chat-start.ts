/** What the person has of each kind, so that the example questions of an empty chat fit. */
import { queryOptions } from '@tanstack/react-query'

import { chatKey } from '@/data/chat'
import { unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import { supabase } from '@/lib/supabase'

export type Belongings = {
  /** Somebody the person works with. */
  contact: string | null
  hasTasks: boolean
  hasDeals: boolean
  hasInvoices: boolean
  hasDocuments: boolean
}

async function fetchBelongings(): Promise<Belongings> {
  await currentUser()
  const [contacts, tasks, deals, invoices, documents] = await Promise.all([
    supabase
      .from('contacts')
      .select('name')
      .is('deleted_at', null)
      .not('name', 'is', null)
      .order('updated_at', { ascending: false })
      .limit(1),
    supabase.from('tasks').select('id').is('deleted_at', null).limit(1),
    supabase.from('deals').select('id').limit(1),
    supabase.from('invoices').select('id').limit(1),
    supabase.from('documents').select('id').is('deleted_at', null).limit(1),
  ])
  return {
    contact: unwrap(contacts)[0]?.name ?? null,
    hasTasks: unwrap(tasks).length > 0,
    hasDeals: unwrap(deals).length > 0,
    hasInvoices: unwrap(invoices).length > 0,
    hasDocuments: unwrap(documents).length > 0,
  }
}

export function belongingsQuery(userId: string) {
  return queryOptions({ queryKey: [...chatKey(userId), 'belongings'], queryFn: fetchBelongings, staleTime: 60_000 })
}
