/** Whom a few typed words mean: for the fields that name a contact, and for the command palette. */
import { queryOptions } from '@tanstack/react-query'

import { unwrap } from '@/data/postgrest'
import { supabase } from '@/lib/supabase'

export type FoundContact = { id: string; name: string }

const MOST = 6

async function search(text: string): Promise<FoundContact[]> {
  const rows = unwrap(await supabase.rpc('search_contacts', { _query: text, _limit: MOST }))
  return rows.map(({ id, name }) => ({ id, name }))
}

/** The best six, or nobody for no words. */
export function contactSearchQuery(userId: string, text: string) {
  const wanted = text.trim()
  return queryOptions({
    queryKey: ['contact-search', userId, wanted],
    queryFn: () => (wanted ? search(wanted) : []),
    staleTime: 30_000,
  })
}
