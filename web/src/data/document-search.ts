/** Where words stand in the pages of the caller's documents: for the list and for the command palette. */
import { queryOptions } from '@tanstack/react-query'

import { documentsKey } from '@/data/documents-key'
import { documentNames } from '@/data/documents'
import { type DocumentFilter, noFilter, searchFilter } from '@/data/documents-wish'
import { unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import type { Enums } from '@/data/tables'
import { supabase } from '@/lib/supabase'

/** A sentence that holds what was searched for. */
type DocumentHit = {
  /** Null when the name, a tag or a field says it, not a page. */
  page: number | null
  snippet: string
  /** Start and end of each word found, in turns. */
  marks: number[]
}

type Found = { id: string; filename: string; kind: Enums<'document_kind'>; hits: DocumentHit[] }
export type FoundDocument = Found & { /** What it is called. */ name: string }

const FOUND_AT_MOST = 50

type Row = { document_id: string; filename: string; kind: Enums<'document_kind'> } & DocumentHit

/** The answer's rows by document, the best first. */
export function byDocument(rows: readonly Row[]): Found[] {
  const found = new Map<string, Found>()
  for (const { document_id: id, filename, kind, page, snippet, marks } of rows) {
    const document = found.get(id) ?? { id, filename, kind, hits: [] }
    if (snippet) document.hits.push({ page, snippet, marks })
    found.set(id, document)
  }
  return [...found.values()]
}

async function search(text: string, filter: DocumentFilter, limit: number): Promise<FoundDocument[]> {
  await currentUser()
  const rows = unwrap(
    await supabase.rpc('search_documents', { _query: text, _limit: limit, _filter: searchFilter(filter) }),
  )
  const found = byDocument(rows)
  const names = await documentNames(found.map(({ id }) => id))
  return found.map((document) => Object.assign(document, { name: names.get(document.id) ?? document.filename }))
}

/** The documents that best answer `text`, with up to three pages each. */
export function documentSearchQuery(
  userId: string,
  text: string,
  filter: DocumentFilter = noFilter,
  limit = FOUND_AT_MOST,
) {
  return queryOptions({
    queryKey: [...documentsKey(userId), 'search', text, filter, limit],
    queryFn: () => (text ? search(text, filter, limit) : []),
    staleTime: 30_000,
  })
}
