/** Where the person is signed in. Our own extension of the auth service; older servers do not have it. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import { callAuth, done } from '@/data/gotrue'
import { leavePush, leavePushElsewhere } from '@/data/push-devices'
import { currentUser } from '@/data/session'
import { forgetPerson } from '@/lib/personal-keys'
import { supabase } from '@/lib/supabase'

export type AuthSession = {
  id: string
  created_at: string
  refreshed_at: string | null
  user_agent: string | null
  ip: string | null
  aal: string | null
  current: boolean
}

const KEY = ['auth-sessions'] as const

export function authSessionsQuery(userId: string) {
  return queryOptions({
    queryKey: [...KEY, userId],
    queryFn: () => callAuth<AuthSession[]>('GET', '/sessions'),
  })
}

async function endSession(id: string): Promise<void> {
  await callAuth('DELETE', `/sessions/${id}`)
}

async function endSessions(scope: 'others' | 'global'): Promise<void> {
  const { id } = await currentUser()
  await leavePushElsewhere(id)
  if (scope === 'global') await leavePush(id)
  done(await supabase.auth.signOut({ scope }))
  if (scope === 'global') forgetPerson(id)
}

function useSessionMutation<V>(run: (variables: V) => Promise<void>) {
  const client = useQueryClient()
  return useMutation({ mutationFn: run, onSettled: () => client.invalidateQueries({ queryKey: KEY }) })
}

export const useEndSession = () => useSessionMutation(endSession)
export const useEndSessions = () => useSessionMutation(endSessions)
