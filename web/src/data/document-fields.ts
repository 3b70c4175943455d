/** document_fields: what was read out of a document, where it stands, and how sure that is. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import { documentsKey } from '@/data/documents-key'
import { reloadDocument } from '@/data/document'
import { unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import type { Tables } from '@/data/tables'
import { supabase } from '@/lib/supabase'
import { type PageWord, placeOfValue, type ValueType } from '@/lib/word-places'

export type DocumentField = Tables<'document_fields'>

/** From here on a value or a kind counts as sure; public.sure_confidence() of the database. */
export const SURE = 0.8

/** Nobody has to look at it again. */
export const isSure = ({ confidence, confirmed_at: confirmed }: Pick<DocumentField, 'confidence' | 'confirmed_at'>) =>
  confirmed !== null || (confidence ?? 0) >= SURE

const keyOf = (userId: string, documentId: string) => [...documentsKey(userId), 'fields', documentId] as const

export function fieldsQuery(userId: string, documentId: string) {
  return queryOptions({
    queryKey: keyOf(userId, documentId),
    queryFn: async (): Promise<DocumentField[]> => {
      await currentUser()
      return unwrap(await supabase.from('document_fields').select('*').eq('document_id', documentId))
    },
  })
}

type FieldPlace = Pick<DocumentField, 'page' | 'box' | 'label'>
/** A value of null takes the field away. */
type Confirmation = { key: string; value: string | null; place?: FieldPlace | null | undefined }

const PAGES_LOOKED_AT = 5

/** Where a value that was typed stands in the document: null when its first pages do not say it. */
export async function findPlace(documentId: string, type: ValueType, value: string): Promise<FieldPlace | null> {
  const pages = unwrap(
    await supabase
      .from('document_pages')
      .select('no, words')
      .eq('document_id', documentId)
      .order('no')
      .limit(PAGES_LOOKED_AT),
  )
  for (const { no, words } of pages) {
    const place = placeOfValue(words as unknown as PageWord[], type, value)
    if (place) return { page: no, ...place }
  }
  return null
}

/** Says what these fields hold; beside which words a value stands is remembered for its supplier. */
export function useConfirmFields(userId: string, documentId: string) {
  const client = useQueryClient()
  const queryKey = keyOf(userId, documentId)
  return useMutation({
    mutationFn: async (fields: Confirmation[]) => {
      for (const { key, value, place } of fields) {
        const said = { _document_id: documentId, _key: key, _value: value as string }
        const { page, box, label } = place ?? {}
        const found = { ...(page && { _page: page }), ...(box && { _box: box }), ...(label && { _label: label }) }
        // One after the other: the last one makes the document ready.
        // oxlint-disable-next-line no-await-in-loop
        unwrap(await supabase.rpc('confirm_field', { ...said, ...found }))
      }
    },
    onMutate: async (fields) => {
      await client.cancelQueries({ queryKey })
      const before = client.getQueryData<DocumentField[]>(queryKey)
      const confirmed = new Map(fields.map(({ key, value }) => [key, value]))
      client.setQueryData<DocumentField[]>(queryKey, (rows) =>
        rows?.flatMap((row) => {
          const value = confirmed.get(row.key)
          if (value === null) return []
          return value === undefined ? row : { ...row, value, confirmed_at: new Date().toISOString() }
        }),
      )
      return before
    },
    onError: (_error, _fields, before) => client.setQueryData(queryKey, before),
    onSettled: () => reloadDocument(client, userId),
  })
}
