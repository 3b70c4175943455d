/** data_exports: archives of what is held of the person, made by a job (functions/data_export.py). */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import { invoke, remove } from '@/data/functions'
import { unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import type { Tables } from '@/data/tables'
import { clientConfig } from '@/lib/config'
import { supabase } from '@/lib/supabase'

const SHOWN = 10
/** While one is made; the job writes how far it is every second. */
const WATCH_MS = 1500
const exportsKey = (userId: string) => ['data_exports', userId] as const

const COLUMNS = 'id, domains, with_files, state, lacked_space, progress, created_at, bytes, sha256, expires_at, opens'
export type DataExport = Pick<
  Tables<'data_exports'>,
  | 'id'
  | 'domains'
  | 'with_files'
  | 'state'
  | 'lacked_space'
  | 'progress'
  | 'created_at'
  | 'bytes'
  | 'sha256'
  | 'expires_at'
  | 'opens'
>

/** Of an archive that is made, or one that comes in. */
export const isUnderWay = ({ state }: { state: string }): boolean => state === 'in_attesa' || state === 'in_corso'

/** The job closes archives once an hour; here one is over when its time is. */
function closed(row: DataExport): DataExport {
  const isOver = row.state === 'pronto' && row.expires_at !== null && new Date(row.expires_at) <= new Date()
  return isOver ? { ...row, state: 'scaduto' } : row
}

/** The newest archives; asked for again and again while one is made. */
export function dataExportsQuery(userId: string) {
  return queryOptions({
    queryKey: exportsKey(userId),
    queryFn: async (): Promise<DataExport[]> => {
      await currentUser()
      const rows = unwrap(
        await supabase.from('data_exports').select(COLUMNS).order('created_at', { ascending: false }).limit(SHOWN),
      )
      return rows.map(closed)
    },
    refetchInterval: ({ state }) => (state.data?.some(isUnderWay) ? WATCH_MS : false),
  })
}

export type ExportWish = { domains: string[] | 'all'; files: boolean }

/** Has an archive made. */
export function useRequestExport(userId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (wish: ExportWish) => invoke<{ id: string }>('data_export', wish),
    onSettled: () => client.invalidateQueries({ queryKey: exportsKey(userId) }),
  })
}

/** Stops the archive that is made. */
export function useCancelExport(userId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => remove<object>('data_export'),
    // Also when it was ready meanwhile: then the list says so.
    onSettled: () => client.invalidateQueries({ queryKey: exportsKey(userId) }),
  })
}

/** Answers the address of a ready archive, good for an hour. */
export function useOpenExport(userId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (id: string) => {
      const { path } = await invoke<{ path: string }>('data_export', { id })
      return clientConfig().supabaseUrl + path
    },
    onSettled: () => client.invalidateQueries({ queryKey: exportsKey(userId) }),
  })
}
