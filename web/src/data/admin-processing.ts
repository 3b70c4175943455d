/** The record of processing activities (art. 30 GDPR), for admins. */
import { queryOptions } from '@tanstack/react-query'

import { useAction } from '@/data/admin'
import type { Database } from '@/data/database.gen'
import { unwrap } from '@/data/postgrest'
import { supabase } from '@/lib/supabase'

export type ProcessingRole = 'titolare' | 'responsabile'
type Row = Database['public']['Functions']['admin_processing_activities']['Returns'][number]
/** `ended_on` is the day on which it ended, null while it goes on. */
export type Processing = Omit<Row, 'role' | 'ended_on'> & { role: ProcessingRole; ended_on: string | null }

export function processingQuery() {
  return queryOptions({
    queryKey: ['admin', 'processing'],
    queryFn: async () => unwrap(await supabase.rpc('admin_processing_activities')) as unknown as Processing[],
  })
}

export type WrittenProcessing = Omit<Processing, 'id' | 'updated_at'> & { id?: number }

/** Writes an activity, a new one without an id; the log of actions keeps every version. */
export function useWriteProcessing() {
  return useAction(async ({ activity, reason }: { activity: WrittenProcessing; reason: string }) =>
    unwrap(await supabase.rpc('admin_write_processing_activity', { _activity: activity, _reason: reason })),
  )
}
