/** Invoices on paper that no sum counts yet: the register waits for their owner, and says for what. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import type { Database } from '@/data/database.gen'
import { documentsKey } from '@/data/documents-key'
import { reloadInvoices } from '@/data/invoices'
import { unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import { supabase } from '@/lib/supabase'

type Row = Database['public']['Functions']['unregistered_documents']['Returns'][number]
/** A paper that waits; what could not be read is null. Empty gaps: it can be registered as it is. */
export type UnregisteredDocument = Pick<Row, 'document_id' | 'filename' | 'currency' | 'gaps'> & {
  [K in Exclude<keyof Row, 'document_id' | 'filename' | 'currency' | 'gaps'>]: Row[K] | null
}

/** All of the caller, the oldest first, or those of some contacts. */
export function unregisteredQuery(userId: string, contactIds?: readonly string[]) {
  return queryOptions({
    queryKey: [...documentsKey(userId), 'unregistered', contactIds ?? 'all'],
    queryFn: async () => {
      await currentUser()
      return unwrap(
        await supabase.rpc('unregistered_documents', contactIds ? { _contact_ids: [...contactIds] } : {}),
      ) as UnregisteredDocument[]
    },
  })
}

/** Takes a paper out of the register for good, or lets it enter again. */
export function useLeaveOut(userId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async ({ documentId, isLeftOut }: { documentId: string; isLeftOut: boolean }) =>
      unwrap(await supabase.rpc('leave_out_of_register', { _document_id: documentId, _is_left_out: isLeftOut })),
    onSettled: () => reloadInvoices(client, userId),
  })
}
