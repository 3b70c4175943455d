/** Imports of contacts: their list, and taking one back. What sends the rows is import-run.ts. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'

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

/** What became of an import that is undone: `kept` names what was changed by hand since, `left` counts what is to come. */
export type Undone = { removed: number; restored: number; kept: { contact_id: string; name: string }[]; left: number }

/** Portion after portion. What was undone stays undone: when it is cut off, the next call goes on from there. */
async function undoImport(batchId: string, onPortion: (left: number) => void): Promise<Undone> {
  const all: Undone = { removed: 0, restored: 0, kept: [], left: 0 }
  do {
    // oxlint-disable-next-line no-await-in-loop
    const portion = unwrap(await supabase.rpc('undo_import', { _batch: batchId })) as unknown as Undone
    all.removed += portion.removed
    all.restored += portion.restored
    all.kept.push(...portion.kept)
    all.left = portion.left
    onPortion(all.left)
  } while (all.left > 0)
  return all
}

/** `left`: how many contacts are to come, once that is known. */
export function useUndoImport() {
  const client = useQueryClient()
  const [left, setLeft] = useState<number | null>(null)
  const undo = useMutation({
    mutationFn: (batchId: string) => undoImport(batchId, setLeft),
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: importsKey }),
        client.invalidateQueries({ queryKey: contactsKey }),
      ]),
  })
  return { undo, left }
}
