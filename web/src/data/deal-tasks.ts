/** What is to be done for a deal. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import type { Deal } from '@/data/deals'
import { unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import { refreshTasks } from '@/data/task-changes'
import { tasksKey } from '@/data/tasks'
import { between } from '@/lib/fractional-position'
import { instantOf } from '@/lib/rome-time'
import { supabase } from '@/lib/supabase'

const AT_MOST = 50

/** Its open tasks, the most urgent first. */
export function dealTasksQuery(userId: string, dealId: string) {
  return queryOptions({
    queryKey: [...tasksKey(userId), 'deal', dealId],
    queryFn: async () => {
      await currentUser()
      return unwrap(
        await supabase
          .from('tasks')
          .select('id, title, due_at')
          .eq('deal_id', dealId)
          .is('deleted_at', null)
          .neq('state', 'fatto')
          .order('due_at', { nullsFirst: false })
          .limit(AT_MOST),
      )
    },
  })
}

/** The key of the task that stands first among those not begun; null when there is none. */
async function firstPosition(): Promise<string | null> {
  const [first] = unwrap(
    await supabase
      .from('tasks')
      .select('position')
      .eq('state', 'da_fare')
      .is('deleted_at', null)
      .order('position')
      .order('id')
      .limit(1),
  )
  return first?.position ?? null
}

type Addition = { deal: Pick<Deal, 'id' | 'contact_id'>; title: string; /** `YYYY-MM-DD`. */ day: string | null }

/** Puts a task for a deal and its contact first in the list. */
export function useAddDealTask(userId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async ({ deal, title, day }: Addition) =>
      unwrap(
        await supabase.from('tasks').insert({
          title,
          deal_id: deal.id,
          contact_id: deal.contact_id,
          due_at: day && instantOf(day),
          position: between(null, await firstPosition()),
        }),
      ),
    onSettled: () => refreshTasks(client, userId),
  })
}
