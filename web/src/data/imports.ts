/** Imports of contacts: their list, and taking one back. What sends the rows is import-run.ts. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import { contactsKey } from '@/data/contacts'
import { unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import type { Tables } from '@/data/tables'
import { supabase } from '@/lib/supabase'

export type ImportBatch = Tables<'import_batches'>

export const importsKey = ['imports'] as const
const MOST = 20

async function fetchBatches(): Promise<ImportBatch[]> {
  await currentUser()
  return unwrap(await supabase.from('import_batches').select('*').order('created_at', { ascending: false }).limit(MOST))
}

/** The newest first. */
export function batchesQuery(userId: string) {
  return queryOptions({ queryKey: [...importsKey, userId], queryFn: fetchBatches })
}

/** What the server answers to an undone import: `kept` names what was changed by hand since. */
export type Undone = { removed: number; restored: number; kept: { contact_id: string; name: string }[] }

export function useUndoImport() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (batchId: string) =>
      unwrap(await supabase.rpc('undo_import', { _batch: batchId })) as unknown as Undone,
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: importsKey }),
        client.invalidateQueries({ queryKey: contactsKey }),
      ]),
  })
}
