/** The address to which the person forwards mails, `u+<token>@<domain>`, and what came there. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import { invoke, read } from '@/data/functions'
import { pollingInterval, unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import type { Tables } from '@/data/tables'
import { supabase } from '@/lib/supabase'

export type MailAddressState = Tables<'mail_addresses'>
type MailAddress = { is_offered: boolean; address: string | null }

const addressKey = (userId: string) => ['mail_address', userId] as const

/** The address; null before there is one. Not offered where the operator receives no mail. */
export function mailAddressQuery(userId: string) {
  return queryOptions({
    queryKey: [...addressKey(userId), 'address'],
    queryFn: () => read<MailAddress>('mail_address'),
    staleTime: 60_000,
  })
}

/** How many mails came to the address, and when the last one was refused and why. */
export function mailAddressStateQuery(userId: string) {
  return queryOptions({
    queryKey: [...addressKey(userId), 'state'],
    queryFn: async (): Promise<MailAddressState | null> => {
      await currentUser()
      return unwrap(await supabase.from('mail_addresses').select('*').maybeSingle())
    },
    refetchInterval: pollingInterval,
  })
}

/** Makes an address, or another one: the former stops at once. @throws FunctionError with the reason */
export function useRenewMailAddress(userId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => invoke<MailAddress>('mail_address', {}),
    onSettled: () => client.invalidateQueries({ queryKey: addressKey(userId) }),
  })
}

/** Closes the address: mails to it are refused, those that came stay. */
export function useCloseMailAddress(userId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async () => unwrap(await supabase.from('mail_addresses').delete().eq('user_id', userId)),
    onSettled: () => client.invalidateQueries({ queryKey: addressKey(userId) }),
  })
}
