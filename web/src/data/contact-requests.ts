/** Requests of the person's clients about their data, and certificates of what was erased. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import { unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import type { Enums, Tables } from '@/data/tables'
import { supabase } from '@/lib/supabase'

export const contactRequestsKey = ['contact_requests'] as const

/** More than anybody keeps open; of closed ones the newest. */
const OPEN_SHOWN = 200
const CLOSED_SHOWN = 20

export type ContactRequest = Tables<'contact_requests'>
export type RequestKind = Enums<'contact_request_kind'>
export type RequestOutcome = Enums<'contact_request_outcome'>

/** Open requests, the most urgent first. */
export function openRequestsQuery(userId: string) {
  return queryOptions({
    queryKey: [...contactRequestsKey, userId, 'open'],
    queryFn: async () => {
      await currentUser()
      return unwrap(
        await supabase
          .from('contact_requests')
          .select('*')
          .eq('user_id', userId)
          .is('closed_at', null)
          .order('due_on')
          .order('id')
          .limit(OPEN_SHOWN),
      )
    },
  })
}

/** The newest closed requests and certificates. */
export function pastRequestsQuery(userId: string) {
  return queryOptions({
    queryKey: [...contactRequestsKey, userId, 'past'],
    queryFn: async () => {
      await currentUser()
      const [closed, erasures] = await Promise.all([
        supabase
          .from('contact_requests')
          .select('*')
          .eq('user_id', userId)
          .not('closed_at', 'is', null)
          .order('closed_at', { ascending: false })
          .limit(CLOSED_SHOWN),
        supabase
          .from('contact_erasures')
          .select('id, initials, request_id, created_at')
          .eq('user_id', userId)
          .order('created_at', { ascending: false })
          .limit(CLOSED_SHOWN),
      ])
      return { closed: unwrap(closed), erasures: unwrap(erasures) }
    },
  })
}

function useRequestChange<Told>(change: (told: Told) => Promise<unknown>) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (told: Told) => {
      await currentUser()
      await change(told)
    },
    onSettled: () => client.invalidateQueries({ queryKey: contactRequestsKey }),
  })
}

/** Writes a request down; the same open request twice is one. */
export function useRegisterRequest() {
  return useRequestChange(
    async (told: { contactId: string; kind: RequestKind; receivedOn: string; receivedBy: string }) =>
      unwrap(
        await supabase.rpc('register_contact_request', {
          _contact_id: told.contactId,
          _kind: told.kind,
          _received_on: told.receivedOn,
          _received_by: told.receivedBy,
        }),
      ),
  )
}

/** Gives a request two months more. */
export function useExtendRequest() {
  return useRequestChange(async ({ id, reason }: { id: string; reason: string }) =>
    unwrap(await supabase.rpc('extend_contact_request', { _id: id, _reason: reason })),
  )
}

/** Closes a request with what came of it. */
export function useCloseRequest() {
  return useRequestChange(async ({ id, outcome, note }: { id: string; outcome: RequestOutcome; note: string }) =>
    unwrap(await supabase.rpc('close_contact_request', { _id: id, _outcome: outcome, _note: note })),
  )
}
