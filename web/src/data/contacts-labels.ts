/** Tags and segments: how the caller sorts contacts. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import { reloadContacts } from '@/data/contacts'
import { contactsKey } from '@/data/contacts-key'
import { type ContactFilter, filterFrom } from '@/data/contacts-filter'
import { unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import { supabase } from '@/lib/supabase'

const SEGMENTS = ['segments'] as const

export function tagsQuery(userId: string) {
  return queryOptions({
    // Under the contacts: whatever changes them may have made a tag.
    queryKey: [...contactsKey, 'tags', userId],
    queryFn: async () => {
      await currentUser()
      return unwrap(await supabase.from('tags').select('id, name, touch_days').order('name'))
    },
  })
}

export type Segment = { id: string; name: string; filter: ContactFilter }

/** The saved filters that this version can read. */
export function segmentsQuery(userId: string) {
  return queryOptions({
    queryKey: [...SEGMENTS, userId],
    queryFn: async () => {
      await currentUser()
      const rows = unwrap(await supabase.from('segments').select('id, name, filter').order('name'))
      return rows.flatMap(({ id, name, filter: stored }): Segment[] => {
        const filter = filterFrom(stored)
        return filter ? [{ id, name, filter }] : []
      })
    },
  })
}

export function useSaveSegment() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (segment: Omit<Segment, 'id'>) => unwrap(await supabase.from('segments').insert(segment)),
    onSettled: () => client.invalidateQueries({ queryKey: SEGMENTS }),
  })
}

export function useDeleteSegment(onError: () => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (id: string) => unwrap(await supabase.from('segments').delete().eq('id', id)),
    onError,
    onSettled: () => client.invalidateQueries({ queryKey: SEGMENTS }),
  })
}

type Tagging = { ids: readonly string[]; name: string }

/** The id of the tag of that name, which is made when there is none. */
export async function tagNamed(name: string): Promise<string> {
  const find = () =>
    supabase
      .from('tags')
      .select('id')
      .ilike('name', name.replaceAll(/[\\%_]/g, String.raw`\$&`))
      .limit(1)
  const [known] = unwrap(await find())
  return known?.id ?? unwrap(await supabase.from('tags').insert({ name }).select('id').single()).id
}

/** Gives all these contacts the tag; those that have it keep it. */
export function useTagContacts(onError: () => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async ({ ids, name }: Tagging) => {
      const tagId = await tagNamed(name)
      const rows = ids.map((contactId) => ({ contact_id: contactId, tag_id: tagId }))
      unwrap(
        await supabase.from('contact_tags').upsert(rows, { onConflict: 'contact_id,tag_id', ignoreDuplicates: true }),
      )
    },
    onError,
    onSettled: () => reloadContacts(client),
  })
}
