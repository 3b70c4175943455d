/** Connecting a WhatsApp number at Meta, without an app of one's own (Embedded Signup). */
import { useMutation, useQueryClient } from '@tanstack/react-query'

import { invoke, refusalOf } from '@/data/functions'
import { whatsappKey } from '@/data/whatsapp-key'
import { supabase } from '@/lib/supabase'

/** What Meta sent the person back with, and the number that was chosen of several. */
export type SignupAnswer = { state: string; code?: string; error?: string; phone_number_id?: string }
type NumberFound = { id: string; display_number: string }
/** The connected number, or several to choose from. */
type SignupResult = { numbers?: NumberFound[] }

/** Leaves for Meta's page. @throws FunctionError with the reason */
export function useBeginSignup() {
  return useMutation({
    mutationFn: async (isOnPhone: boolean) => {
      const { url } = await invoke<{ url: string }>('whatsapp_signup', { is_on_phone: isOnPhone })
      window.location.assign(url)
    },
  })
}

/** Connects the number. @throws FunctionError with the reason */
export function useEndSignup(userId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (answer: SignupAnswer): Promise<SignupResult> => {
      const { data, error } = await supabase.functions.invoke<SignupResult>('whatsapp_signup', {
        method: 'PUT',
        body: answer,
      })
      if (error) throw await refusalOf(error)
      return data ?? {}
    },
    onSettled: () => client.invalidateQueries({ queryKey: whatsappKey(userId) }),
  })
}

/** Reads the answer in the fragment of an address (functions/whatsapp_signup_return.py); null without one. */
export function signupAnswer(hash: string): SignupAnswer | null {
  const told = new URLSearchParams(hash.slice(1))
  const [state, code, error] = ['stato', 'codice', 'errore'].map((name) => told.get(`whatsapp_${name}`))
  if (!state || !(code || error)) return null
  return { state, ...(error ? { error } : {}), ...(code ? { code } : {}) }
}
