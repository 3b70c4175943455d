/** What hangs on a contact besides work: their documents, and what Socio remembers of them. */
import { queryOptions } from '@tanstack/react-query'

import { contactsKey } from '@/data/contacts-key'
import { NAMED, NUMBER } from '@/data/documents'
import { unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import { supabase } from '@/lib/supabase'

const AT_MOST = 5

/** The newest, and how many there are. */
export function documentsAboutQuery(contactIds: readonly string[]) {
  return queryOptions({
    queryKey: [...contactsKey, 'documents', contactIds],
    queryFn: async () => {
      await currentUser()
      const answer = await supabase
        .from('documents')
        .select(`${NAMED}, created_at, contact_id`, { count: 'exact' })
        .eq('numbers.key', NUMBER)
        .in('contact_id', [...contactIds])
        .is('deleted_at', null)
        .order('created_at', { ascending: false })
        .order('id', { ascending: false })
        .limit(AT_MOST)
      return { documents: unwrap(answer), count: answer.count ?? 0 }
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
