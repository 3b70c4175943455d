/** Views of the admin screens that an admin saved: a screen and what its address chooses. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import { unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import type { Tables } from '@/data/tables'
import { supabase } from '@/lib/supabase'

export type AdminView = Pick<Tables<'admin_views'>, 'id' | 'name' | 'screen' | 'query'>

const viewsKey = (userId: string) => ['admin_views', userId] as const

/** By name; there are fifty at most. */
export function adminViewsQuery(userId: string) {
  return queryOptions({
    queryKey: viewsKey(userId),
    queryFn: async (): Promise<AdminView[]> => {
      await currentUser()
      const rows = unwrap(await supabase.from('admin_views').select('id, name, screen, query').limit(100))
      return rows.toSorted((a, b) => a.name.localeCompare(b.name, 'it'))
    },
  })
}

function useViewChange<V>(userId: string, mutationFn: (value: V) => Promise<unknown>) {
  const client = useQueryClient()
  return useMutation({
    mutationFn,
    onSettled: () => client.invalidateQueries({ queryKey: viewsKey(userId) }),
  })
}

/** Writes a view under an id that was chosen here: a second attempt makes no second one. @throws DataError */
export function useSaveView(userId: string) {
  return useViewChange(userId, async ({ id, ...view }: AdminView) => {
    const changed = unwrap(await supabase.from('admin_views').update(view).eq('id', id).select('id'))
    if (changed.length === 0) unwrap(await supabase.from('admin_views').insert({ id, ...view }))
  })
}

export function useDeleteView(userId: string) {
  return useViewChange(userId, async (id: string) => unwrap(await supabase.from('admin_views').delete().eq('id', id)))
}
