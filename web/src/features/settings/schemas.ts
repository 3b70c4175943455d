/** Validation of the forms under /settings, with its messages (PROFILE-07). */
import { mismatch, newPassword, passwordsMatch } from '@/lib/password-rules'
import { sixDigits } from '@/lib/six-digits'
import { z } from '@/lib/zod'

export const emailSchema = z.object({ email: z.email('Email non valida') })

/** The last two only when the server has asked for them; the code is no text, not even an empty one, until then. */
export const changePasswordSchema = z
  .object({
    password: newPassword,
    confirmPassword: z.string(),
    currentPassword: z.string(),
    nonce: sixDigits.optional(),
  })
  .refine(passwordsMatch, { ...mismatch, when: () => true })

export const totpSchema = z.object({ code: sixDigits })

export type EmailValues = z.infer<typeof emailSchema>
export type ChangePasswordValues = z.infer<typeof changePasswordSchema>
export type TotpValues = z.infer<typeof totpSchema>
