/** Documents into the trash, out of it, and off the server for good. */
import { type InfiniteData, useMutation, useQueryClient } from '@tanstack/react-query'

import { inChunks } from '@/data/chunks'
import { type ListedDocument, listKey, queueKey, reloadDocuments, removeObjects } from '@/data/documents'
import { documentsKey } from '@/data/documents-key'
import { unwrap } from '@/data/postgrest'
import { supabase } from '@/lib/supabase'

type Pages = InfiniteData<ListedDocument[], ListedDocument | null>

/** How many rows are asked for at once. */
const PAGE_SIZE = 1_000
/** After so long in the trash the server deletes a document by itself. */
export const TRASH_DAYS = 30

async function setDeleted(ids: readonly string[], deletedAt: string | null): Promise<void> {
  await inChunks(ids, async (some) => {
    unwrap(await supabase.from('documents').update({ deleted_at: deletedAt }).in('id', some))
    return []
  })
}

/** One after the other: «Annulla» never overtakes the deletion. */
const scope = { id: 'documents-trash' }

/** A change of where documents lie, which takes them off the list at once, and back on it when the server refuses. */
function useMove(userId: string, run: (ids: readonly string[]) => Promise<void>, onError: () => void) {
  const client = useQueryClient()
  return useMutation({
    scope,
    mutationFn: run,
    onMutate: async (ids) => {
      await client.cancelQueries({ queryKey: documentsKey(userId) })
      const before = client.getQueriesData({ queryKey: documentsKey(userId) })
      const gone = new Set(ids)
      const left = (rows: ListedDocument[]) => rows.filter(({ id }) => !gone.has(id))
      client.setQueriesData<Pages>(
        { queryKey: listKey(userId) },
        (data) => data && { ...data, pages: data.pages.map(left) },
      )
      client.setQueryData<ListedDocument[]>(queueKey(userId), (rows) => rows && left(rows))
      return before
    },
    onError: (_error, _ids, before) => {
      for (const [key, data] of before ?? []) client.setQueryData(key, data)
      onError()
    },
    onSettled: () => reloadDocuments(client, userId),
  })
}

export function useTrashDocuments(userId: string, onError: () => void) {
  return useMove(userId, (ids) => setDeleted(ids, new Date().toISOString()), onError)
}

export function useRestoreDocuments(userId: string, onError: () => void) {
  return useMove(userId, (ids) => setDeleted(ids, null), onError)
}

type Stored = { id: string; storage_path: string }

/** What lies in the trash with these documents (what came in a ZIP, a mail), and with those in turn. */
async function insideOf(parents: readonly string[]): Promise<Stored[]> {
  const children = await inChunks(parents, (some) => childrenOf(some))
  return children.length === 0 ? [] : [...children, ...(await insideOf(children.map(({ id }) => id)))]
}

async function childrenOf(parents: string[], after?: string): Promise<Stored[]> {
  const query = supabase
    .from('documents')
    .select('id, storage_path')
    .in('parent_id', parents)
    // What is alive stays, with its file.
    .not('deleted_at', 'is', null)
    .order('id')
    .limit(PAGE_SIZE)
  const page = unwrap(await (after ? query.gt('id', after) : query))
  return page.length < PAGE_SIZE ? page : [...page, ...(await childrenOf(parents, page.at(-1)?.id))]
}

/** The files first: a row without its file can be deleted again, a file without its row would stay unseen. */
async function erase(ids: readonly string[]): Promise<void> {
  const own = await inChunks(ids, async (some) =>
    unwrap(await supabase.from('documents').select('id, storage_path').in('id', some)),
  )
  const all = [...own, ...(await insideOf(ids))]
  await inChunks(
    all.map(({ storage_path: path }) => path),
    removeObjects,
  )
  await inChunks(ids, async (some) => {
    unwrap(await supabase.from('documents').delete().in('id', some))
    return []
  })
}

/** Deletes documents of the trash for good, with what lies in them. */
export function useEraseDocuments(userId: string, onError: () => void) {
  return useMove(userId, erase, onError)
}
