/** document_links: the deals and the tasks that a document belongs to. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import { documentsKey } from '@/data/documents-key'
import { reloadDocument } from '@/data/document'
import { unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import { type NewTask, tasksKey } from '@/data/tasks'
import { supabase } from '@/lib/supabase'

const AT_MOST = 100

export function documentLinksQuery(userId: string, documentId: string) {
  return queryOptions({
    queryKey: [...documentsKey(userId), 'links', documentId],
    queryFn: async () => {
      await currentUser()
      return unwrap(
        await supabase
          .from('document_links')
          .select('id, deal:deals(id, title, deleted_at), task:tasks(id, title, state, due_at, deleted_at)')
          .eq('document_id', documentId)
          .order('created_at')
          .limit(AT_MOST),
      ).filter(({ deal, task }) => (deal ? !deal.deleted_at : task && !task.deleted_at))
    },
  })
}

/** Deals and tasks whose name holds `text`, to link them. */
export function linkableQuery(userId: string, text: string) {
  return queryOptions({
    queryKey: [...documentsKey(userId), 'linkable', text],
    queryFn: async () => {
      const pattern = `%${text.trim().replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
      if (pattern === '%%') return []
      const [deals, tasks] = await Promise.all([
        supabase.from('deals').select('id, title').is('deleted_at', null).ilike('title', pattern).limit(5),
        supabase.rpc('search_tasks', { _text: text.trim(), _is_done: false }),
      ])
      return [
        ...unwrap(deals).map(({ id, title }) => ({ id, title, type: 'deal' as const })),
        ...unwrap(tasks).map(({ id, title }) => ({ id, title, type: 'task' as const })),
      ]
    },
  })
}

export type Linkable = { id: string; type: 'deal' | 'task' }

export function useLinkDocument(userId: string, documentId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async ({ id, type }: Linkable) => {
      const row = type === 'deal' ? { deal_id: id } : { task_id: id }
      unwrap(await supabase.from('document_links').insert({ document_id: documentId, ...row }))
    },
    onSettled: () => reloadDocument(client, userId),
  })
}

export function useUnlinkDocument(userId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (linkId: string) => unwrap(await supabase.from('document_links').delete().eq('id', linkId)),
    onSettled: () => reloadDocument(client, userId),
  })
}

/** Makes a task about the document and links it; answers its id. */
export function useCreateLinkedTask(userId: string, documentId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (task: NewTask) => {
      const { id } = unwrap(await supabase.from('tasks').insert(task).select('id').single())
      unwrap(await supabase.from('document_links').insert({ document_id: documentId, task_id: id }))
      return id
    },
    onSettled: () =>
      Promise.all([reloadDocument(client, userId), client.invalidateQueries({ queryKey: tasksKey(userId) })]),
  })
}
