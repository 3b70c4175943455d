/** Where AI worked for a client or a project of the person (L. 132/2025, art. 13). */
import { queryOptions } from '@tanstack/react-query'

import type { Database } from '@/data/database.gen'
import { unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import { supabase } from '@/lib/supabase'

type Row = Database['public']['Functions']['ai_notice']['Returns'][number]

/** What was done how often, and by whom: without a provider in local mode, and where it was not noted. */
export type AiStep = Omit<Row, 'provider' | 'model'> & { provider: string | null; model: string | null }

export type NoticeSubject = { kind: 'contact' | 'project'; id: string }
export type AiNotice = { name: string; steps: AiStep[] }

/** Null for a client or project that is not there. */
export function aiNoticeQuery(userId: string, { kind, id }: NoticeSubject) {
  return queryOptions({
    queryKey: ['ai_notice', userId, kind, id],
    queryFn: async (): Promise<AiNotice | null> => {
      await currentUser()
      const [found, steps] = await Promise.all([
        supabase
          .from(kind === 'contact' ? 'contacts' : 'projects')
          .select('name')
          .eq('id', id)
          .maybeSingle(),
        supabase.rpc('ai_notice', kind === 'contact' ? { _contact_id: id } : { _project_id: id }),
      ])
      const subject = unwrap(found)
      return subject && { name: subject.name ?? '', steps: unwrap(steps) }
    },
  })
}
