/** documents: the files of the caller with what was read in them; the list, and what changes it. */
import {
  infiniteQueryOptions,
  type InfiniteData,
  type QueryClient,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query'

import { tagNamed, tagsQuery } from '@/data/contacts-labels'
import { documentsKey } from '@/data/documents-key'
import { type DocumentWish, filterCount, periodLogic } from '@/data/documents-wish'
import { pollingInterval, unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import { stored } from '@/data/storage'
import type { Enums, Tables } from '@/data/tables'
import { kindOf } from '@/lib/document-types'
import { tidyName } from '@/lib/object-names'
import { supabase } from '@/lib/supabase'
import { documentName, type NameParts } from '@/strings/document-name'

type Row = Tables<'documents'>
type Named = { id: string; name: string | null }

/** A document as a line shows it. */
export type ListedDocument = Pick<
  Row,
  | 'id'
  | 'created_at'
  | 'filename'
  | 'filename_by_user'
  | 'title'
  | 'storage_path'
  | 'mime'
  | 'bytes'
  | 'kind'
  | 'state'
  | 'error'
  | 'pages'
  | 'pages_done'
  | 'issued_on'
  | 'due_on'
  | 'total_cents'
  | 'currency'
  | 'contact_id'
  | 'parent_id'
  | 'duplicate_of'
  | 'retention_until'
  | 'deleted_at'
> &
  NameParts & {
    contact: Named | null
    tags: { tag: Named }[]
    /** Whether other documents lie in it, as in a ZIP or a mail. */
    holds?: boolean
  }

export const BUSY: readonly Row['state'][] = ['in_coda', 'lettura', 'ocr', 'analisi']
/** The states in which the server works on a document. */
export const isBusy = (state: Row['state']): boolean => BUSY.includes(state)

export const DOCUMENTS = 'documents'
/** What `documentName` needs of other tables; asked for with `numbers.key` = NUMBER. */
export const NAME_PARTS =
  'supplier_name:supplier->>name, contact:contacts!documents_user_id_contact_id_fkey(id, name), invoices(type_code, number, counterparty_name), numbers:document_fields(value)'
export const NAMED = `id, filename, filename_by_user, kind, state, title, ${NAME_PARTS}` as const
export const NUMBER = 'number'
export const COLUMNS =
  `${NAMED}, created_at, storage_path, mime, bytes, error, pages, pages_done, issued_on, due_on, total_cents, currency, contact_id, parent_id, duplicate_of, retention_until, deleted_at, tags:document_tags(tag:tags(id, name))` as const

const PAGE_SIZE = 100
const LINK_LIFE_S = 60

export const listKey = (userId: string) => [...documentsKey(userId), 'list'] as const
export const queueKey = (userId: string) => [...documentsKey(userId), 'queue'] as const
const bucket = () => supabase.storage.from(DOCUMENTS)

/** How many documents there are of each kind and state, and how many lie in the trash. */
type DocumentCounts = {
  kinds: Partial<Record<Enums<'document_kind'>, number>>
  states: Partial<Record<Enums<'document_state'>, number>>
  trash: number
}

type Pages = InfiniteData<ListedDocument[], ListedDocument | null>

/** What the list is ordered by: the newest first, in the trash what came there last. */
const orderOf = ({ isTrash }: DocumentWish) => (isTrash ? 'deleted_at' : 'created_at')

/** What lies in another document stands below it, but is found by itself. */
const showsInside = (wish: DocumentWish) => wish.isTrash || filterCount(wish) > 0

function wanted(wish: DocumentWish) {
  const { kind, state, contactId, tagId, isTrash } = wish
  const rows = tagId
    ? supabase.from('documents').select(`${COLUMNS}, wanted:document_tags!inner(tag_id)`).eq('wanted.tag_id', tagId)
    : supabase.from('documents').select(COLUMNS)
  const named = rows.eq('numbers.key', NUMBER)
  let query = isTrash ? named.not('deleted_at', 'is', null) : named.is('deleted_at', null)
  if (kind) query = query.eq('kind', kind)
  if (state) query = query.eq('state', state)
  if (contactId) query = query.eq('contact_id', contactId)
  if (!showsInside(wish)) query = query.is('parent_id', null)
  for (const logic of periodLogic(wish)) query = query.or(logic)
  return query
}

async function fetchPage(wish: DocumentWish, last: ListedDocument | null): Promise<ListedDocument[]> {
  await currentUser()
  const order = orderOf(wish)
  const query = wanted(wish).order(order, { ascending: false }).order('id', { ascending: false }).limit(PAGE_SIZE)
  const at = last?.[order]
  if (!last || !at) return withContents(unwrap(await query))
  // Said twice: the index begins where `lte` says, and `or` alone would read it from its beginning.
  return withContents(
    unwrap(await query.lte(order, at).or(`${order}.lt."${at}",and(${order}.eq."${at}",id.lt.${last.id})`)),
  )
}

/** Tells which of the rows hold others: a ZIP does, a mail or an invoice may. */
async function withContents(rows: ListedDocument[]): Promise<ListedDocument[]> {
  const asked = rows.filter(({ filename }) => ['mail', 'invoice'].includes(kindOf(filename) ?? '')).map(({ id }) => id)
  const inside =
    asked.length === 0
      ? []
      : unwrap(await supabase.from('documents').select('parent_id').in('parent_id', asked).is('deleted_at', null))
  const parents = new Set(inside.map(({ parent_id: parent }) => parent))
  return rows.map((row) => ({ ...row, holds: kindOf(row.filename) === 'archive' || parents.has(row.id) }))
}

/** What lies in a document, by name. */
export function insideQuery(userId: string, parentId: string) {
  return queryOptions({
    queryKey: [...documentsKey(userId), 'inside', parentId],
    queryFn: async (): Promise<ListedDocument[]> => {
      await currentUser()
      return withContents(
        unwrap(
          await supabase
            .from('documents')
            .select(COLUMNS)
            .eq('numbers.key', NUMBER)
            .eq('parent_id', parentId)
            .is('deleted_at', null)
            .order('filename')
            .order('id'),
        ),
      )
    },
  })
}

/** A hundred at a time; the text of the wish is not looked at here. */
export function documentsQuery(userId: string, wish: DocumentWish) {
  return infiniteQueryOptions({
    queryKey: [...listKey(userId), { ...wish, text: '' }],
    queryFn: ({ pageParam }) => fetchPage(wish, pageParam),
    initialPageParam: null as ListedDocument | null,
    getNextPageParam: (page: ListedDocument[]) => (page.length < PAGE_SIZE ? null : (page.at(-1) ?? null)),
    select: (data) => data.pages.flat(),
    refetchInterval: pollingInterval,
  })
}

/** Return what these documents are called, by id. */
export async function documentNames(ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = unwrap(await supabase.from('documents').select(NAMED).eq('numbers.key', NUMBER).in('id', ids))
  return new Map(rows.map((row) => [row.id, documentName(row)]))
}

/** What a file is called, and since when it lies in the trash; null when there is none. */
export function documentNameQuery(userId: string, id: string) {
  return queryOptions({
    queryKey: [...documentsKey(userId), 'name', id],
    queryFn: async () => {
      await currentUser()
      return unwrap(await supabase.from('documents').select('filename, deleted_at').eq('id', id).maybeSingle())
    },
  })
}

/** For the filters and for the tab of the trash. */
export function documentCountsQuery(userId: string) {
  return queryOptions({
    queryKey: [...documentsKey(userId), 'counts'],
    queryFn: async () => {
      await currentUser()
      return unwrap(await supabase.rpc('document_counts')) as unknown as DocumentCounts
    },
  })
}

export const reloadDocuments = (client: QueryClient, userId: string) =>
  client.invalidateQueries({ queryKey: documentsKey(userId) })

type Patch = Pick<ListedDocument, 'id'> & Partial<ListedDocument>

/**
 * Shows what is new about a document wherever the cache lists it.
 *
 * Answers what was listed before, or null when it is listed nowhere.
 */
export function patchDocument(client: QueryClient, userId: string, patch: Patch): ListedDocument | null {
  let before: ListedDocument | null = null
  const patched = (row: ListedDocument) => {
    if (row.id !== patch.id) return row
    before = row
    // Where it lies is its list's to say: what is told of a deletion may come when it was taken back already.
    return { ...row, ...patch, deleted_at: row.deleted_at }
  }
  client.setQueriesData<Pages>(
    { queryKey: listKey(userId) },
    (data) => data && { ...data, pages: data.pages.map((page) => page.map(patched)) },
  )
  client.setQueryData<ListedDocument[]>(queueKey(userId), (rows) => rows?.map(patched))
  return before
}

const TELLING = ['deleted_at', 'contact_id', 'kind', 'filename', 'duplicate_of'] as const
type Telling = 'state' | (typeof TELLING)[number]

/** Whether a change may move a document between lists, or change what stands beside it. */
export function changesLists(before: ListedDocument, now: Pick<Row, Telling>): boolean {
  const isOver = before.state !== now.state && !isBusy(now.state)
  return isOver || TELLING.some((key) => before[key] !== now[key])
}

type Renaming = { id: string; name: string }

/** The file keeps its place in the storage: only what it is called changes. */
export function useRenameDocument(userId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async ({ id, name }: Renaming) =>
      unwrap(
        await supabase
          .from('documents')
          .update({ filename: tidyName(name), filename_by_user: true })
          .eq('id', id),
      ),
    onSuccess: (_data, { id, name }) =>
      patchDocument(client, userId, { id, filename: tidyName(name), filename_by_user: true }),
    onSettled: () => reloadDocuments(client, userId),
  })
}

/** Gives all these documents the tag; those that have it keep it. */
export function useTagDocuments(userId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async ({ ids, name }: { ids: readonly string[]; name: string }) => {
      const tagId = await tagNamed(name)
      const rows = ids.map((documentId) => ({ document_id: documentId, tag_id: tagId }))
      unwrap(
        await supabase.from('document_tags').upsert(rows, { onConflict: 'document_id,tag_id', ignoreDuplicates: true }),
      )
    },
    // The tag may be a new one.
    onSettled: () => Promise.all([reloadDocuments(client, userId), client.invalidateQueries(tagsQuery(userId))]),
  })
}

/** Links all these documents to the contact, which is remembered for those that come after them. */
export function useLinkDocuments(userId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async ({ ids, contactId }: { ids: readonly string[]; contactId: string }) => {
      for (const id of ids) {
        // One after the other: all at once would take the server from everybody else.
        // oxlint-disable-next-line no-await-in-loop
        unwrap(await supabase.rpc('link_document_contact', { _document_id: id, _contact_id: contactId }))
      }
    },
    onSettled: () => reloadDocuments(client, userId),
  })
}

/** An address that saves the document under its name; good for a minute. @throws StorageFailure */
export async function downloadLink({ storage_path: path, filename }: Pick<Row, 'storage_path' | 'filename'>) {
  const { signedUrl } = stored(await bucket().createSignedUrl(path, LINK_LIFE_S))
  // Not by the option `download`: storage-js encodes its value twice, and «è» would arrive as «%C3%A8».
  return `${signedUrl}&download=${encodeURIComponent(filename)}`
}

/** Takes files off the server. @throws StorageFailure */
export async function removeObjects(paths: string[]): Promise<unknown[]> {
  return stored(await bucket().remove(paths))
}
