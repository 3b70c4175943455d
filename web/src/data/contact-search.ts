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

/** The one contact whose whole name is in `text`, or null. */
export function contactNamedQuery(userId: string, text: string) {
  const wanted = text.trim()
  return queryOptions({
    queryKey: ['contact-search', userId, 'named', wanted],
    queryFn: async (): Promise<FoundContact | null> => {
      const [one] = wanted ? unwrap(await supabase.rpc('contact_named_in', { _text: wanted })) : []
      return one ?? null
    },
    staleTime: 30_000,
    // A task is added at once, linked or not.
    retry: false,
  })
}
