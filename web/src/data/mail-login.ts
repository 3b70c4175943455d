/** The login at Microsoft or Google by which a mailbox is connected without a password. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import { invoke, read, refusalOf } from '@/data/functions'
import { mailAccountQuery } from '@/data/mail'
import type { Enums } from '@/data/tables'
import { supabase } from '@/lib/supabase'

export type MailProvider = Enums<'mail_provider'>
/** What the provider sent the person back with. */
type Answer = { state: string; code?: string; error?: string }

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
    mutationFn: async (answer: Answer) => {
      const { data, error } = await supabase.functions.invoke<{ address: string }>('mail_login', {
        method: 'PUT',
        body: answer,
      })
      if (error) throw await refusalOf(error)
      return data
    },
    onSettled: () => client.invalidateQueries({ queryKey: mailAccountQuery(userId).queryKey }),
  })
}

/** Reads the answer in the fragment of an address (functions/mail_login_return.py); null without one. */
export function mailLoginAnswer(hash: string): Answer | null {
  const told = new URLSearchParams(hash.slice(1))
  const [state, code, error] = ['accesso_stato', 'accesso_codice', 'accesso_errore'].map((name) => told.get(name))
  if (!state || !(code || error)) return null
  return { state, ...(error ? { error } : {}), ...(code ? { code } : {}) }
}
