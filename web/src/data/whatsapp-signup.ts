/** Connecting a WhatsApp number at Meta, without an app of one's own (Embedded Signup). */
import { useMutation, useQueryClient } from '@tanstack/react-query'

import { invoke } from '@/data/functions'
import type { ProviderAnswer } from '@/data/provider-answer'
import { whatsappKey } from '@/data/whatsapp-key'

/** What Meta sent the person back with, and the number that was chosen of several. */
type SignupAnswer = ProviderAnswer & { phone_number_id?: string }
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
    mutationFn: (answer: SignupAnswer) => invoke<SignupResult>('whatsapp_signup', answer, 'PUT'),
    onSettled: () => client.invalidateQueries({ queryKey: whatsappKey(userId) }),
  })
}
