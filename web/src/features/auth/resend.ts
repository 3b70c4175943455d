import { toast } from 'sonner'

import { resendConfirmation } from '@/api/auth'
import { asAuthFailure, authErrorMessage } from '@/strings/auth-errors'

/** Asks for the confirmation mail again and says how it went; the answer is the same for unknown addresses. */
export async function resend(email: string): Promise<void> {
  try {
    await resendConfirmation(email)
    toast.success('Email inviata di nuovo! Controlla la tua casella.')
  } catch (thrown) {
    toast.error(authErrorMessage(asAuthFailure(thrown), 'Errore durante l’invio dell’email'))
  }
}
