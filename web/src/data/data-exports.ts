/** data_exports: when the person took their data along; the archive itself is written while it is downloaded. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import { invoke } from '@/data/functions'
import { unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import { clientConfig } from '@/lib/config'
import { supabase } from '@/lib/supabase'

const SHOWN = 5
const exportsKey = (userId: string) => ['data_exports', userId] as const

/** The newest downloads. */
export function dataExportsQuery(userId: string) {
  return queryOptions({
    queryKey: exportsKey(userId),
    queryFn: async () => {
      await currentUser()
      return unwrap(
        await supabase
          .from('data_exports')
          .select('id, with_files, created_at, finished_at, bytes')
          .order('created_at', { ascending: false })
          .limit(SHOWN),
      )
    },
  })
}

/** Answers the address of the archive, good for ten minutes. */
export function useBeginExport(userId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (files: boolean) => {
      const { path } = await invoke<{ path: string }>('data_export', { files })
      return clientConfig().supabaseUrl + path
    },
    onSettled: () => client.invalidateQueries({ queryKey: exportsKey(userId) }),
  })
}
