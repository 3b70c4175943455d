/** document_fields: what was read out of a document, where it stands, and how sure that is. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import { documentsKey } from '@/data/documents-key'
import { reloadDocument } from '@/data/document'
import { unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import type { Tables } from '@/data/tables'
import { supabase } from '@/lib/supabase'

export type DocumentField = Tables<'document_fields'>

/** From here on a value counts as sure; the database asks the same before it calls a document ready. */
const SURE = 0.8

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

type Confirmation = Pick<DocumentField, 'key'> & { value: string }

/** Says that these values are right; those that differ from what was read are remembered as corrections. */
export function useConfirmFields(userId: string, documentId: string) {
  const client = useQueryClient()
  const queryKey = keyOf(userId, documentId)
  return useMutation({
    mutationFn: async (fields: Confirmation[]) => {
      for (const { key, value } of fields) {
        // One after the other: the last one makes the document ready.
        // oxlint-disable-next-line no-await-in-loop
        unwrap(await supabase.rpc('confirm_field', { _document_id: documentId, _key: key, _value: value }))
      }
    },
    onMutate: async (fields) => {
      await client.cancelQueries({ queryKey })
      const before = client.getQueryData<DocumentField[]>(queryKey)
      const confirmed = new Map(fields.map(({ key, value }) => [key, value]))
      client.setQueryData<DocumentField[]>(queryKey, (rows) =>
        rows?.map((row) => {
          const value = confirmed.get(row.key)
          return value === undefined ? row : { ...row, value, confirmed_at: new Date().toISOString() }
        }),
      )
      return before
    },
    onError: (_error, _fields, before) => client.setQueryData(queryKey, before),
    onSettled: () => reloadDocument(client, userId),
  })
}
