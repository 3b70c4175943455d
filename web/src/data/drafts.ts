/** drafts: e-mails and WhatsApp messages that were written and not sent. Nothing is ever sent from here. */
import { type QueryClient, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import { insertOnce, unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import type { Tables } from '@/data/tables'
import { supabase } from '@/lib/supabase'

export type Draft = Pick<
  Tables<'drafts'>,
  'id' | 'contact_id' | 'channel' | 'recipient' | 'subject' | 'body' | 'created_at' | 'deleted_at'
>

const KEY = 'drafts'
const COLUMNS = 'id, contact_id, channel, recipient, subject, body, created_at, deleted_at'
const AT_MOST = 20
const MAILS_AT_MOST = 100

/** Under this key lies everything the cache knows about drafts. */
export const draftsKey = (userId: string) => [KEY, userId] as const

/** Those for a contact, the newest first. */
export function draftsAboutQuery(userId: string, contactId: string) {
  return queryOptions({
    queryKey: [...draftsKey(userId), 'about', contactId],
    queryFn: async (): Promise<Draft[]> => {
      await currentUser()
      return unwrap(
        await supabase
          .from('drafts')
          .select(COLUMNS)
          .eq('contact_id', contactId)
          .is('deleted_at', null)
          .order('created_at', { ascending: false })
          .order('id')
          .limit(AT_MOST),
      )
    },
  })
}

/** E-mails to anybody, the newest first. */
export function mailDraftsQuery(userId: string) {
  return queryOptions({
    queryKey: [...draftsKey(userId), 'email'],
    queryFn: async (): Promise<Draft[]> => {
      await currentUser()
      return unwrap(
        await supabase
          .from('drafts')
          .select(COLUMNS)
          .eq('channel', 'email')
          .is('deleted_at', null)
          .order('created_at', { ascending: false })
          .order('id')
          .limit(MAILS_AT_MOST),
      )
    },
  })
}

/** One draft; null when there is none of this id. */
export function draftQuery(userId: string, id: string) {
  return queryOptions({
    queryKey: [...draftsKey(userId), 'one', id],
    queryFn: async (): Promise<Draft | null> => {
      await currentUser()
      return unwrap(await supabase.from('drafts').select(COLUMNS).eq('id', id).maybeSingle())
    },
  })
}

const reload = (client: QueryClient, userId: string) => client.invalidateQueries({ queryKey: draftsKey(userId) })

function useMove(userId: string, deletedAt: () => string | null, onError: () => void) {
  const client = useQueryClient()
  return useMutation({
    // One after the other: «Annulla» never overtakes the deletion.
    scope: { id: 'drafts-trash' },
    mutationFn: async (id: string) =>
      unwrap(await supabase.from('drafts').update({ deleted_at: deletedAt() }).eq('id', id)),
    onError,
    onSettled: () => reload(client, userId),
  })
}

/** Takes a draft off the lists; `useRestoreDraft` brings it back. */
export function useDeleteDraft(userId: string, onError: () => void) {
  return useMove(userId, () => new Date().toISOString(), onError)
}

export function useRestoreDraft(userId: string, onError: () => void) {
  return useMove(userId, () => null, onError)
}

type Written = Pick<Draft, 'id' | 'contact_id' | 'channel' | 'recipient' | 'subject' | 'body'>

/** Keeps a message that was written; sent twice it is the same draft. */
export function useSaveDraft(userId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async ({ id, ...draft }: Written) =>
      insertOnce(
        () => supabase.from('drafts').insert({ id, ...draft }),
        () => supabase.from('drafts').update(draft).eq('id', id),
      ),
    onSettled: () => reload(client, userId),
  })
}
