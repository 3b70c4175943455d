/** contacts: the people and companies of the caller; the list, one of them, and what changes them. */
import {
  infiniteQueryOptions,
  type InfiniteData,
  type QueryClient,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query'

import { inChunks } from '@/data/chunks'
import { type ContactFilter, postgrestFilter } from '@/data/contacts-filter'
import type { ContactChange } from '@/data/contacts-form'
import { contactsKey } from '@/data/contacts-key'
import { unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import type { Database } from '@/data/database.gen'
import type { Enums } from '@/data/tables'
import { supabase } from '@/lib/supabase'

type Row = Database['public']['Views']['contact_list']['Row']
type Always = 'id' | 'user_id' | 'type' | 'name' | 'tags' | 'tag_ids' | 'origin' | 'created_at'
/** A row of the view, of whose columns the generated types cannot know that they are never null. */
export type ListedContact = Omit<Row, Always | 'consents'> & { [K in Always]: NonNullable<Row[K]> } & {
  /** What the contact says to marketing, by channel. */
  consents: Partial<Record<Enums<'consent_channel'>, Enums<'consent_state'>>>
}
export type ContactType = Enums<'contact_type'>

/** By name; who is next in the cadence; who was heard last; who owes most. */
export type ContactOrder = 'name' | 'next_touch_at' | 'last_interaction_at' | 'owed_cents'

/** Which contacts a list shows; a text to search for brings its own order. */
export type ContactWish = { type: ContactType; filter: ContactFilter; order: ContactOrder; text: string }

export { contactsKey }

const listKey = [...contactsKey, 'list'] as const
const PAGE_SIZE = 100
/** How many ids one request answers. */
const IDS_AT_ONCE = 1_000

type Pages = InfiniteData<ListedContact[], ListedContact | null>

/** How many contacts a search shows; who wants others says more. */
export const FOUND_AT_MOST = PAGE_SIZE

function wanted({ type, filter }: ContactWish) {
  const query = supabase.from('contact_list').select('*').eq('type', type)
  const logic = postgrestFilter(filter)
  return logic ? query.or(logic) : query
}

/** A search looks at people and companies alike, the best first; the filter is put to all of them, not to `most`. */
function found({ filter, text }: ContactWish, most?: number) {
  const logic = postgrestFilter(filter)
  const query = supabase.rpc('listed_contacts', { _query: text, ...(most && !logic && { _limit: most }) })
  return logic ? query.or(logic) : query
}

const DESCENDING: ReadonlySet<ContactOrder> = new Set(['last_interaction_at', 'owed_cents'])

const quoted = (value: string | number) => `"${String(value).replaceAll(/["\\]/g, String.raw`\$&`)}"`

/** What follows `last` in the order, as PostgREST's condition: a page costs the same wherever it stands. */
function after(order: ContactOrder, last: ListedContact): string {
  const value = last[order]
  if (value === null) return `and(${order}.is.null,id.gt.${last.id})`
  const same = `and(${order}.eq.${quoted(value)},id.gt.${last.id})`
  if (order === 'name') return `name.gt.${quoted(value)},${same}`
  const beyond = DESCENDING.has(order) ? 'lt' : 'gt'
  return `${order}.${beyond}.${quoted(value)},${order}.is.null,${same}`
}

/** Where the page after this one begins; null at the end. */
const nextAfter = (wish: ContactWish, page: ListedContact[]): ListedContact | null =>
  wish.text || page.length < PAGE_SIZE ? null : (page.at(-1) ?? null)

async function fetchPage(wish: ContactWish, last: ListedContact | null): Promise<ListedContact[]> {
  await currentUser()
  if (wish.text) return unwrap(await found(wish, FOUND_AT_MOST).limit(FOUND_AT_MOST)) as ListedContact[]
  const query = wanted(wish)
    .order(wish.order, { ascending: !DESCENDING.has(wish.order), nullsFirst: false })
    .order('id')
    .limit(PAGE_SIZE)
  if (!last) return unwrap(await query) as ListedContact[]
  // Said twice for names: the index begins where `gte` says, and `or` alone would read it from its beginning.
  const rest = wish.order === 'name' ? query.gte('name', last.name) : query
  return unwrap(await rest.or(after(wish.order, last))) as ListedContact[]
}

export function contactsQuery(userId: string, wish: ContactWish) {
  return infiniteQueryOptions({
    queryKey: [...listKey, userId, wish],
    queryFn: ({ pageParam }) => fetchPage(wish, pageParam),
    initialPageParam: null as ListedContact | null,
    getNextPageParam: (page: ListedContact[]) => nextAfter(wish, page),
    select: (data) => data.pages.flat(),
  })
}

/** Whether there is anybody yet, sample contacts included. */
export function hasContactsQuery(userId: string) {
  return queryOptions({
    queryKey: [...contactsKey, 'any', userId],
    queryFn: async () => {
      await currentUser()
      return unwrap(await supabase.from('contact_list').select('id').limit(1)).length > 0
    },
  })
}

/** Names of companies that begin as typed. */
export function companyNamesQuery(userId: string, typed: string) {
  return queryOptions({
    queryKey: [...contactsKey, 'companies', userId, typed],
    queryFn: async () => {
      await currentUser()
      const rows = unwrap(
        await supabase
          .from('contact_list')
          .select('name')
          .eq('type', 'azienda')
          .ilike('name', `${typed.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`)
          .order('name')
          .limit(10),
      )
      return rows.flatMap(({ name }) => name ?? [])
    },
  })
}

const counted = () => supabase.from('contact_list').select('id', { count: 'exact', head: true })

/** How many contacts there are, and how many of them are companies. */
export function contactCountsQuery(userId: string) {
  return queryOptions({
    queryKey: [...contactsKey, 'counts', userId],
    queryFn: async () => {
      await currentUser()
      const [all, companies] = await Promise.all([counted(), counted().eq('type', 'azienda')])
      unwrap(all)
      unwrap(companies)
      return { all: all.count ?? 0, companies: companies.count ?? 0 }
    },
  })
}

/** How many of each type wait to be heard again. */
export function dueContactsQuery(userId: string, type: ContactType) {
  return queryOptions({
    queryKey: [...contactsKey, 'due', userId, type],
    queryFn: async () => {
      await currentUser()
      const answer = await supabase
        .from('contact_list')
        .select('id', { count: 'exact', head: true })
        .eq('type', type)
        .or(postgrestFilter({ all: [{ field: 'due' }] }) ?? '')
      unwrap(answer)
      return answer.count ?? 0
    },
  })
}

/** Postgres: invalid_text_representation. */
const NO_ID = '22P02'

async function fetchContact(id: string) {
  await currentUser()
  const [row, shown] = await Promise.all([
    supabase
      .from('contacts')
      .select(
        '*, emails:contact_emails(id, value, label, is_primary), phones:contact_phones(id, value, norm, label, is_primary)',
      )
      .eq('id', id)
      .maybeSingle(),
    supabase.from('contact_list').select('company_name, tags, consents').eq('id', id).maybeSingle(),
  ])
  // An address that is no id names nobody.
  if (row.error?.code === NO_ID) return null
  const contact = unwrap(row)
  // In the list stands neither what is in the trash nor what became part of another contact.
  const listed = unwrap(shown) as Pick<ListedContact, 'company_name' | 'tags' | 'consents'> | null
  return contact && { ...contact, listed }
}

export type WholeContact = NonNullable<Awaited<ReturnType<typeof fetchContact>>>

/** One contact with all that hangs on it; null when there is none, or it is somebody else's. */
export function contactQuery(id: string) {
  return queryOptions({ queryKey: [...contactsKey, 'one', id], queryFn: () => fetchContact(id) })
}

export const reloadContacts = (client: QueryClient) => client.invalidateQueries({ queryKey: contactsKey })

type Saving = { id: string; contact: ContactChange }

/** Adds the contact, or writes it anew with its addresses, numbers and tags: all of it or nothing. */
export function useSaveContact() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async ({ id, contact }: Saving) =>
      unwrap(await supabase.rpc('save_contact', { _contact: { id, ...contact } })),
    onSuccess: () => reloadContacts(client),
  })
}

/** All that fit: what the list would show when scrolled to its end, or the whole of a search. */
export const idsOf = (wish: ContactWish): Promise<string[]> => (wish.text ? idsFound(wish) : idsListed(wish))

async function idsFound(wish: ContactWish, from = 0): Promise<string[]> {
  const rows = unwrap(
    await found(wish)
      .select('id')
      .range(from, from + IDS_AT_ONCE - 1),
  )
  const ids = rows.flatMap(({ id }) => id ?? [])
  return rows.length < IDS_AT_ONCE ? ids : [...ids, ...(await idsFound(wish, from + IDS_AT_ONCE))]
}

async function idsListed(wish: ContactWish, last: ListedContact | null = null): Promise<string[]> {
  const page = await fetchPage(wish, last)
  const ids = page.map(({ id }) => id)
  const next = nextAfter(wish, page)
  return next ? [...ids, ...(await idsListed(wish, next))] : ids
}

/** Whose address or number one of these is, the trash included; null when it is nobody else's. */
export async function holderOf(table: 'contact_emails' | 'contact_phones', norms: string[], id: string) {
  const columns = 'contact:contacts(id, name, deleted_at)'
  const [held] = unwrap(await supabase.from(table).select(columns).in('norm', norms).neq('contact_id', id).limit(1))
  return held?.contact ?? null
}

export type Holder = NonNullable<Awaited<ReturnType<typeof holderOf>>>

async function setDeleted(ids: readonly string[], deletedAt: string | null): Promise<void> {
  await inChunks(ids, async (some) => {
    unwrap(await supabase.from('contacts').update({ deleted_at: deletedAt }).in('id', some))
    return []
  })
}

/** One after the other: «Annulla» never overtakes the deletion. */
const trash = { id: 'contacts-trash' }

/** Takes the contacts off the screen at once, and back on it when the server refuses. */
export function useDeleteContacts(onError: () => void) {
  const client = useQueryClient()
  return useMutation({
    scope: trash,
    mutationFn: (ids: readonly string[]) => setDeleted(ids, new Date().toISOString()),
    onMutate: async (ids) => {
      await client.cancelQueries({ queryKey: listKey })
      const before = client.getQueriesData<Pages>({ queryKey: listKey })
      const gone = new Set(ids)
      client.setQueriesData<Pages>(
        { queryKey: listKey },
        (data) => data && { ...data, pages: data.pages.map((page) => page.filter(({ id }) => !gone.has(id))) },
      )
      return before
    },
    onError: (_error, _ids, before) => {
      for (const [key, data] of before ?? []) client.setQueryData(key, data)
      onError()
    },
    onSettled: () => reloadContacts(client),
  })
}

export function useRestoreContacts(onError: () => void) {
  const client = useQueryClient()
  return useMutation({
    scope: trash,
    mutationFn: (ids: readonly string[]) => setDeleted(ids, null),
    onError,
    onSettled: () => reloadContacts(client),
  })
}

/** Puts off the reminder of this contact; null takes that back. */
export function useSnoozeContact(onError: () => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async ({ id, until }: { id: string; until: string | null }) => {
      unwrap(await supabase.from('contacts').update({ snoozed_until: until }).eq('id', id))
    },
    onError,
    onSettled: () => reloadContacts(client),
  })
}
