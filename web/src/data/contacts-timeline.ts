/** The timeline of a contact, and what a person adds to it. */
import { infiniteQueryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import { reloadContacts } from '@/data/contacts'
import { contactsKey } from '@/data/contacts-key'
import { KEPT, sendOrKeep } from '@/data/outbox'
import { insertOnce, unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import type { Database } from '@/data/database.gen'
import type { Enums } from '@/data/tables'
import { supabase } from '@/lib/supabase'

type Row = Database['public']['Views']['timeline']['Row']
/** A row of the view, of whose columns the generated types cannot know that they are never null. */
export type TimelineEntry = { [K in 'id' | 'kind' | 'at' | 'title' | 'ref_type' | 'ref_id']: NonNullable<Row[K]> } & {
  body: string | null
  contact_id: string | null
  data: Record<string, string | null>
}

const KEY = [...contactsKey, 'timeline'] as const
const PAGE_SIZE = 50

async function fetchPage(contactIds: readonly string[], last: TimelineEntry | null): Promise<TimelineEntry[]> {
  await currentUser()
  const query = supabase
    .from('timeline')
    .select('*')
    .in('contact_id', [...contactIds])
    .order('at', { ascending: false })
    .order('id', { ascending: false })
    .limit(PAGE_SIZE)
  const older = last && `at.lt."${last.at}",and(at.eq."${last.at}",id.lt."${last.id}")`
  return unwrap(await (older ? query.or(older) : query)) as TimelineEntry[]
}

/** Newest first; of several contacts, such as a company and its people, in one list. */
export function timelineQuery(contactIds: readonly string[]) {
  return infiniteQueryOptions({
    queryKey: [...KEY, contactIds],
    queryFn: ({ pageParam }) => fetchPage(contactIds, pageParam),
    initialPageParam: null as TimelineEntry | null,
    getNextPageParam: (page: TimelineEntry[]) => (page.length < PAGE_SIZE ? null : page.at(-1)),
    select: (data) => data.pages.flat(),
  })
}

/** A note says something about the contact; an interaction is a touch, and starts the cadence anew. */
export type Addition = { /** The same at each attempt. */ id: string } & (
  | { table: 'notes'; body: string }
  | { table: 'interactions'; kind: Enums<'interaction_kind'>; summary: string }
)

async function add(contactId: string, addition: Addition): Promise<void> {
  const { id } = addition
  if (addition.table === 'notes') {
    const { body } = addition
    await insertOnce(
      () => supabase.from('notes').insert({ id, contact_id: contactId, body }),
      () => supabase.from('notes').update({ body }).eq('id', id),
    )
    return
  }
  const { kind, summary } = addition
  // Nobody begins a meeting.
  const said = { kind, direction: kind === 'incontro' ? null : ('uscita' as const), summary: summary || null }
  await insertOnce(
    () => supabase.from('interactions').insert({ id, contact_id: contactId, ...said }),
    () => supabase.from('interactions').update(said).eq('id', id),
  )
}

/** Without a network the outbox takes a note. An interaction is not kept: the server's clock says when it was. */
export function useAddToTimeline(userId: string, contactId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (addition: Addition) => {
      const send = () => add(contactId, addition)
      if (addition.table === 'interactions') return send()
      const { id, body } = addition
      return sendOrKeep(client, userId, { id, kind: 'note', contactId, body }, send)
    },
    onSuccess: (answer) => (answer === KEPT ? undefined : reloadContacts(client)),
  })
}

type Written = { ref_type: 'note' | 'interaction'; ref_id: string }

/** Whether the person wrote this entry by hand, and may take it away again. */
export const isWritten = (entry: { ref_type: string; ref_id: string }): entry is Written =>
  entry.ref_type === 'note' || entry.ref_type === 'interaction'

const OF_INTERACTION = 'id, contact_id, kind, direction, at, summary'

/** Takes an entry away, and answers what puts it back as it was. */
async function remove({ ref_type, ref_id }: Written): Promise<() => Promise<void>> {
  if (ref_type === 'note') {
    const put = async (deleted_at: string | null) =>
      void unwrap(await supabase.from('notes').update({ deleted_at }).eq('id', ref_id))
    await put(new Date().toISOString())
    return () => put(null)
  }
  // The cadence counts without it from now on, so it is really gone, not hidden.
  const row = unwrap(await supabase.from('interactions').delete().eq('id', ref_id).select(OF_INTERACTION).single())
  return async () => void unwrap(await supabase.from('interactions').insert(row))
}

/** Takes a note or an interaction out of the timeline; the answer, called, puts it back. */
export function useRemoveFromTimeline() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (written: Written) => {
      const restore = await remove(written)
      return () => restore().finally(() => reloadContacts(client))
    },
    onSettled: () => reloadContacts(client),
  })
}
