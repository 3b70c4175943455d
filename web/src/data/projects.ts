/** The projects of the caller, with how many of their tasks are done. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import type { Database } from '@/data/database.gen'
import { pollingInterval, unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import type { Enums, Tables, TablesUpdate } from '@/data/tables'
import { supabase } from '@/lib/supabase'

export type ProjectStatus = Enums<'project_status'>
export type NewProject = Database['public']['Tables']['projects']['Insert']
export type ProjectChange = TablesUpdate<'projects'>
export type Project = Tables<'projects'> & {
  contact: { id: string; name: string | null } | null
  doneCount: number
  openCount: number
}

export const projectsKey = (userId: string) => ['projects', userId] as const

const LIMIT = 1_000
const COLUMNS = '*, contact:contacts!projects_user_id_contact_id_fkey(id, name), open:tasks(count), done:tasks(count)'

async function fetchProjects(): Promise<Project[]> {
  await currentUser()
  const rows = unwrap(
    await supabase
      .from('projects')
      .select(COLUMNS)
      .is('deleted_at', null)
      .neq('open.state', 'fatto')
      .is('open.deleted_at', null)
      .eq('done.state', 'fatto')
      .is('done.deleted_at', null)
      .order('status')
      .order('name')
      .limit(LIMIT),
  )
  return rows.map(({ open, done, ...project }) =>
    Object.assign(project, { openCount: open[0]?.count ?? 0, doneCount: done[0]?.count ?? 0 }),
  )
}

/** The active ones first, by name. */
export function projectsQuery(userId: string) {
  return queryOptions({ queryKey: projectsKey(userId), queryFn: fetchProjects, refetchInterval: pollingInterval })
}

function useProjectCall<V, R>(userId: string, run: (variables: V) => Promise<R>) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: run,
    onSettled: () => client.invalidateQueries({ queryKey: projectsKey(userId) }),
  })
}

/** Answers the id of the new project. */
export function useAddProject(userId: string) {
  return useProjectCall(
    userId,
    async (project: NewProject) => unwrap(await supabase.from('projects').insert(project).select('id').single()).id,
  )
}

export function useChangeProject(userId: string) {
  return useProjectCall(userId, async ({ id, change }: { id: string; change: ProjectChange }) =>
    unwrap(await supabase.from('projects').update(change).eq('id', id)),
  )
}
