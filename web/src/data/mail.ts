/** A person's own mail server, and the mails that go out through it. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import { reloadContacts } from '@/data/contacts'
import { invoke, refusalOf } from '@/data/functions'
import { unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import type { Tables } from '@/data/tables'
import { supabase } from '@/lib/supabase'

export type MailAccount = Tables<'mail_accounts'>
export type MailServer = Pick<MailAccount, 'host' | 'port' | 'security' | 'username' | 'from_address'> & {
  password: string
  from_name: string
  signature: string
}
export type OutgoingMail = {
  /** The same at each attempt: a second click is the same mail. */
  key: string
  contact_id: string
  recipient: string
  subject: string
  body: string
  basis: Tables<'outgoing_mails'>['basis']
  invoice_id: string | null
}

const accountKey = (userId: string) => ['mail_account', userId] as const

/** The connected account; null without one. */
export function mailAccountQuery(userId: string) {
  return queryOptions({
    queryKey: accountKey(userId),
    queryFn: async (): Promise<MailAccount | null> => {
      await currentUser()
      return unwrap(await supabase.from('mail_accounts').select('*').maybeSingle())
    },
  })
}

function useAccountChange<V = void>(userId: string, mutationFn: (value: V) => Promise<unknown>) {
  const client = useQueryClient()
  return useMutation({
    mutationFn,
    onSettled: () => client.invalidateQueries({ queryKey: accountKey(userId) }),
  })
}

/** Signs in and keeps the account. @throws FunctionError with the server's reason */
export function useConnectMail(userId: string) {
  return useAccountChange(userId, async (server: MailServer) => {
    const { error } = await supabase.functions.invoke('mail_account', {
      method: 'PUT',
      body: server,
    })
    if (error) throw await refusalOf(error)
  })
}

/** Sends a mail to oneself. @throws FunctionError with the server's reason */
export function useTryMail(userId: string) {
  return useAccountChange(userId, () => invoke<{ recipient: string }>('mail_account', {}))
}

/** Deletes the account and its password. */
export function useDisconnectMail(userId: string) {
  return useAccountChange(userId, async () =>
    unwrap(await supabase.from('mail_accounts').delete().eq('user_id', userId)),
  )
}

/** Queues a mail; it leaves in ten seconds. @throws FunctionError with the reason for people */
export function useSendMail() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (mail: OutgoingMail) => invoke<{ id: string }>('send_mail', mail),
    onSuccess: () => reloadContacts(client),
  })
}

/** Takes back a mail that has not left. @throws DataError when it has */
export function useCancelMail() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (id: string) => unwrap(await supabase.rpc('cancel_mail', { _id: id })),
    onSettled: () => reloadContacts(client),
  })
}

/** Says that an uncertain mail has arrived, or sends it again. */
export function useDecideMail() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async ({ id, hasArrived }: { id: string; hasArrived: boolean }) =>
      unwrap(await supabase.rpc('decide_mail', { _id: id, _has_arrived: hasArrived })),
    onSettled: () => reloadContacts(client),
  })
}
