/** A reminder that is put off: the task reminds again then, and keeps its other moments to come. */
import { useMutation, useQueryClient } from '@tanstack/react-query'

import { unwrap } from '@/data/postgrest'
import { refreshTasks } from '@/data/task-changes'
import { supabase } from '@/lib/supabase'

/** As many moments as a task has at most. */
const MOMENTS = 10

type Snooze = { taskId: string; until: string }

export function useSnoozeTask(userId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async ({ taskId, until }: Snooze) => {
      const task = unwrap(await supabase.from('tasks').select('remind_at').eq('id', taskId).single())
      const later = task.remind_at.filter((at) => Date.parse(at) > Date.now()).slice(0, MOMENTS - 1)
      unwrap(
        await supabase
          .from('tasks')
          .update({ remind_at: [until, ...later] })
          .eq('id', taskId),
      )
    },
    onSettled: () => refreshTasks(client, userId),
  })
}
