/** One document: what is known about it, its pages, its file, where words stand in it, what it is linked to. */
import { type QueryClient, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import { contactsKey } from '@/data/contacts-key'
import { tagNamed } from '@/data/contacts-labels'
import { DOCUMENTS, isBusy, NAME_PARTS, NAMED, NUMBER, reloadDocuments } from '@/data/documents'
import { documentsKey } from '@/data/documents-key'
import { pollingInterval, unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import { storageAddress, storageHeaders, StorageFailure, stored } from '@/data/storage'
import type { Tables, TablesUpdate } from '@/data/tables'
import { clientConfig } from '@/lib/config'
import { supabase } from '@/lib/supabase'
import type { NameParts } from '@/strings/document-name'

type Named = { id: string; name: string | null }

/** What a contact could be made from. */
type Supplier = {
  name?: string | null
  vat_number?: string | null
  tax_code?: string | null
  email?: string | null
}

export type WholeDocument = Omit<Tables<'documents'>, 'supplier'> &
  NameParts & {
    supplier: Supplier | null
    contact: Named | null
    suggested: Named | null
    tags: { tag: { id: string; name: string } }[]
  }

/** A page without its words; points, and 0 or null before it is read. */
export type PageOutline = Pick<Tables<'document_pages'>, 'no' | 'width' | 'height' | 'state' | 'source'>

/** A hit of the search inside, or a passage that answers. */
export type Hit = { page: number; word_from: number; word_to: number; box: number[] | null }
export type Passage = {
  document_id: string
  filename: string
  page: number
  quote: string
  word_from: number
  word_to: number
  rank: number
}

const SUGGESTED = 'suggested:contacts!documents_user_id_contact_suggestion_fkey(id, name)'
const TAGS = 'tags:document_tags(tag:tags(id, name))'
const LINK_LIFE_S = 3_600
const PAGES_AT_MOST = 1_000
const BUSY_POLL_MS = 2_000

const keyOf = (userId: string, id: string) => [...documentsKey(userId), 'one', id] as const

async function fetchDocument(id: string): Promise<WholeDocument | null> {
  await currentUser()
  const row = unwrap(
    await supabase
      .from('documents')
      .select(`*, ${NAME_PARTS}, ${SUGGESTED}, ${TAGS}`)
      .eq('numbers.key', NUMBER)
      .eq('id', id)
      .maybeSingle(),
  )
  return row as unknown as WholeDocument | null
}

/** Null when there is none of this id. While it is being read it is asked for often. */
export function documentQuery(userId: string, id: string) {
  return queryOptions({
    queryKey: keyOf(userId, id),
    queryFn: () => fetchDocument(id),
    refetchInterval: (query) =>
      query.state.data && isBusy(query.state.data.state) ? BUSY_POLL_MS : pollingInterval(query),
  })
}

/** The pages as far as they are known, in their order. */
export function outlineQuery(userId: string, document: Pick<WholeDocument, 'id' | 'pages_done'>) {
  return queryOptions({
    queryKey: [...keyOf(userId, document.id), 'pages', document.pages_done],
    queryFn: async (): Promise<PageOutline[]> =>
      unwrap(
        await supabase
          .from('document_pages')
          .select('no, width, height, state, source')
          .eq('document_id', document.id)
          .order('no')
          .limit(PAGES_AT_MOST),
      ),
    placeholderData: (former: PageOutline[] | undefined) => former,
  })
}

/** What stands on a page. */
export function pageTextQuery(documentId: string, no: number) {
  return queryOptions({
    queryKey: ['document-page', documentId, no, 'text'],
    queryFn: async () => {
      const page = unwrap(
        await supabase.from('document_pages').select('text').eq('document_id', documentId).eq('no', no).maybeSingle(),
      )
      return page?.text ?? ''
    },
    staleTime: 60_000,
  })
}

/** Where the words of `no` stand, by their number: for what is quoted. */
export async function boxesOf(
  documentId: string,
  no: number,
  from: number,
  to: number,
): Promise<[number, number, number, number][]> {
  const page = unwrap(
    await supabase.from('document_pages').select('words').eq('document_id', documentId).eq('no', no).maybeSingle(),
  )
  const words = (page?.words ?? []) as [string, number, number, number, number, number][]
  return words.slice(from, to + 1).map(([, x0, y0, x1, y1]) => [x0, y0, x1, y1])
}

/** The same, kept: the passage that a citation points to. */
export function boxesQuery(documentId: string, no: number, [from, to]: readonly [number, number]) {
  return queryOptions({
    queryKey: ['document-page', documentId, no, 'boxes', from, to],
    queryFn: () => boxesOf(documentId, no, from, to),
    staleTime: 60_000,
  })
}

const bucket = () => supabase.storage.from(DOCUMENTS)

/** An address under which the file can be read for an hour. @throws StorageFailure */
export async function originalLink({ storage_path: path }: Pick<WholeDocument, 'storage_path'>): Promise<string> {
  return stored(await bucket().createSignedUrl(path, LINK_LIFE_S)).signedUrl
}

/** Where sound or video is played from, asked for again before the link is over. @throws StorageFailure */
export const playedQuery = (path: string) =>
  queryOptions({
    queryKey: ['played', path],
    queryFn: () => originalLink({ storage_path: path }),
    staleTime: (LINK_LIFE_S * 1_000) / 2,
  })

async function fetchBlob(url: string): Promise<Blob> {
  const response = await fetch(url, { headers: await storageHeaders() })
  if (!response.ok) throw new StorageFailure(Object.assign(new Error(response.statusText), { status: response.status }))
  return response.blob()
}

const TOO_MANY_REQUESTS = 429
/** Who leafs through quickly asks for more pages than the server draws at once: that many times a second passes. */
const TURNS = 30

const pictureOptions = (key: readonly unknown[], url: () => string) =>
  queryOptions({
    queryKey: key,
    queryFn: () => fetchBlob(url()),
    retry: (turn, error) => error instanceof StorageFailure && error.status === TOO_MANY_REQUESTS && turn < TURNS,
    retryDelay: 1_000,
    staleTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
  })

/** The file itself, when it is a picture that browsers know. */
export const originalQuery = ({ storage_path: path }: Pick<WholeDocument, 'storage_path'>) =>
  pictureOptions(['original', path], () =>
    storageAddress(`/object/authenticated/${DOCUMENTS}/${path.split('/').map(encodeURIComponent).join('/')}`),
  )

/** A page as a picture that the server makes. */
export const pagePictureQuery = (documentId: string, no: number) =>
  pictureOptions(
    ['document-page', documentId, no, 'picture'],
    () =>
      `${clientConfig().supabaseUrl}/functions/v1/page_picture?${new URLSearchParams({ document: documentId, page: String(no) }).toString()}`,
  )

/** Every place where `text` stands, in reading order. */
export function hitsQuery(userId: string, documentId: string, text: string) {
  return queryOptions({
    queryKey: [...keyOf(userId, documentId), 'hits', text],
    queryFn: async (): Promise<Hit[]> =>
      text.trim() ? unwrap(await supabase.rpc('document_hits', { _document_id: documentId, _query: text })) : [],
    staleTime: 60_000,
    placeholderData: (former: Hit[] | undefined) => (text.trim() ? former : []),
  })
}

/** The passages of the document that best answer. */
export async function askDocument(documentId: string, question: string): Promise<Passage[]> {
  return unwrap(await supabase.rpc('ask_documents', { _question: question, _document_id: documentId }))
}

/** The documents that lay inside of this one, and who has the same bytes. */
export function relativesQuery(
  userId: string,
  document: Pick<WholeDocument, 'id' | 'sha256' | 'pages_done' | 'state'>,
) {
  const { id, sha256, state } = document
  return queryOptions({
    queryKey: [...keyOf(userId, id), 'relatives', state, sha256],
    queryFn: async () => {
      const [children, twins] = await Promise.all([
        supabase
          .from('documents')
          .select(NAMED)
          .eq('numbers.key', NUMBER)
          .eq('parent_id', id)
          .is('deleted_at', null)
          .order('filename')
          .limit(500),
        sha256
          ? supabase
              .from('documents')
              .select('id, filename, created_at')
              .eq('sha256', sha256)
              .neq('id', id)
              .is('deleted_at', null)
              .order('created_at')
              .limit(20)
          : null,
      ])
      return { children: unwrap(children), twins: twins ? unwrap(twins) : [] }
    },
  })
}

/** Asks again for everything about this document, and for the lists that show it. */
export function reloadDocument(client: QueryClient, userId: string): Promise<unknown> {
  return Promise.all([reloadDocuments(client, userId), client.invalidateQueries({ queryKey: contactsKey })])
}

type Change = Pick<
  TablesUpdate<'documents'>,
  'filename' | 'filename_by_user' | 'note' | 'retention_until' | 'deleted_at' | 'issued_on' | 'due_on'
>

/** Shows `patch` at once; answers what undoes it. */
async function patchOne(client: QueryClient, userId: string, id: string, patch: Partial<WholeDocument>) {
  const { queryKey } = documentQuery(userId, id)
  await client.cancelQueries({ queryKey, exact: true })
  const before = client.getQueryData(queryKey)
  if (before) client.setQueryData(queryKey, { ...before, ...patch })
  return before
}

/** A change that shows at once and is taken back when the server refuses or cannot be reached. */
function useOptimistic<V>(
  userId: string,
  id: string,
  run: (variables: V) => Promise<unknown>,
  effect: (variables: V) => Partial<WholeDocument>,
) {
  const client = useQueryClient()
  const { queryKey } = documentQuery(userId, id)
  return useMutation({
    mutationFn: run,
    onMutate: (variables: V) => patchOne(client, userId, id, effect(variables)),
    onError: (_error, _variables, before) => before && client.setQueryData(queryKey, before),
    onSettled: () => reloadDocument(client, userId),
  })
}

/** The person's word on what a document is, which no machine changes any more. */
export function useChooseKind(userId: string, id: string) {
  return useOptimistic(
    userId,
    id,
    async (kind: WholeDocument['kind']) =>
      unwrap(await supabase.rpc('set_document_kind', { _document_id: id, _kind: kind })),
    (kind) => ({ kind, kind_by_user: true }),
  )
}

export function useChangeDocument(userId: string, id: string) {
  return useOptimistic(
    userId,
    id,
    async (change: Change) => unwrap(await supabase.from('documents').update(change).eq('id', id)),
    (change) => change as Partial<WholeDocument>,
  )
}

/** Links the contact and remembers it for the documents that come after. */
export function useLinkContact(userId: string, id: string) {
  return useOptimistic(
    userId,
    id,
    async (contact: Named) =>
      unwrap(await supabase.rpc('link_document_contact', { _document_id: id, _contact_id: contact.id })),
    (contact) => ({
      contact,
      contact_id: contact.id,
      contact_suggestion: null,
      suggested: null,
      contact_reason: null,
    }),
  )
}

/** Takes the contact off, linked or suggested, and remembers that it is not the one. */
export function useRefuseContact(userId: string, id: string) {
  return useOptimistic(
    userId,
    id,
    async () => unwrap(await supabase.rpc('refuse_document_contact', { _document_id: id })),
    () => ({ contact: null, contact_id: null, contact_suggestion: null, suggested: null, contact_reason: null }),
  )
}

/** Makes a contact of what the document says; answers its id. */
export function useMakeContact(userId: string, id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async () => unwrap(await supabase.rpc('contact_from_document', { _document_id: id })),
    onSettled: () => reloadDocument(client, userId),
  })
}

type Tag = WholeDocument['tags'][number]['tag']

/** Gives the document a tag, which is made when there is none of this name. */
export function useAddTag(userId: string, document: WholeDocument) {
  return useOptimistic(
    userId,
    document.id,
    async (name: string) => {
      const row = { document_id: document.id, tag_id: await tagNamed(name) }
      const answer = supabase
        .from('document_tags')
        .upsert(row, { onConflict: 'document_id,tag_id', ignoreDuplicates: true })
      unwrap(await answer)
    },
    (name) => ({ tags: [...document.tags, { tag: { id: name, name } }] }),
  )
}

export function useRemoveTag(userId: string, document: WholeDocument) {
  return useOptimistic(
    userId,
    document.id,
    async ({ id }: Tag) =>
      unwrap(await supabase.from('document_tags').delete().eq('document_id', document.id).eq('tag_id', id)),
    ({ id }) => ({ tags: document.tags.filter(({ tag }) => tag.id !== id) }),
  )
}
