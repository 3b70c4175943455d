/** The login at Microsoft or Google by which a mailbox is connected without a password. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import { invoke, read } from '@/data/functions'
import { mailAccountQuery } from '@/data/mail'
import type { ProviderAnswer } from '@/data/provider-answer'
import type { Enums } from '@/data/tables'

export type MailProvider = Enums<'mail_provider'>

/** Which providers the operator has set up. @throws FunctionError */
export function mailLoginsQuery(userId: string) {
  return queryOptions({
    queryKey: ['mail_login', userId],
    queryFn: () => read<Record<MailProvider, boolean>>('mail_login'),
    staleTime: Infinity,
  })
}

/** Leaves for the provider's page. @throws FunctionError with the reason */
export function useBeginMailLogin() {
  return useMutation({
    mutationFn: async (provider: MailProvider) => {
      const { url } = await invoke<{ url: string }>('mail_login', { provider })
      window.location.assign(url)
    },
  })
}

/** Connects the mailbox of a login. @throws FunctionError with the reason */
export function useEndMailLogin(userId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (answer: ProviderAnswer) => invoke<{ address: string }>('mail_login', answer, 'PUT'),
    onSettled: () => client.invalidateQueries({ queryKey: mailAccountQuery(userId).queryKey }),
  })
}
