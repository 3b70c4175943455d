/** The contacts and the deals of the trash, what went there last first. */
import { infiniteQueryOptions } from '@tanstack/react-query'

import { contactsKey } from '@/data/contacts-key'
import { dealsKey } from '@/data/deals'
import { unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import { supabase } from '@/lib/supabase'

const PAGE_SIZE = 100

type Trashed = { id: string; name: string; deleted_at: string | null }

async function fetchContacts(from: number): Promise<Trashed[]> {
  await currentUser()
  return unwrap(
    await supabase
      .from('contacts')
      .select('id, name, deleted_at')
      .not('deleted_at', 'is', null)
      .is('merged_into', null)
      .order('deleted_at', { ascending: false })
      .order('id')
      .range(from, from + PAGE_SIZE - 1),
  )
}

async function fetchDeals(from: number): Promise<Trashed[]> {
  await currentUser()
  return unwrap(
    await supabase
      .from('deals')
      .select('id, name:title, deleted_at')
      .not('deleted_at', 'is', null)
      .order('deleted_at', { ascending: false })
      .order('id')
      .range(from, from + PAGE_SIZE - 1),
  )
}

/** Under the key of what it holds: whatever changes that may have deleted or restored some. */
function trashQuery(key: readonly string[], fetchPage: (from: number) => Promise<Trashed[]>) {
  return infiniteQueryOptions({
    queryKey: [...key, 'trash'],
    queryFn: ({ pageParam }) => fetchPage(pageParam),
    initialPageParam: 0,
    getNextPageParam: (page, _pages, from) => (page.length < PAGE_SIZE ? null : from + PAGE_SIZE),
    select: (data) => data.pages.flat(),
  })
}

export const trashedContactsQuery = (userId: string) => trashQuery([...contactsKey, userId], fetchContacts)
export const trashedDealsQuery = (userId: string) => trashQuery(dealsKey(userId), fetchDeals)
