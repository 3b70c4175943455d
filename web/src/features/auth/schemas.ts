/**
 * Validation of the public forms, with its messages (LOGIN-05).
 */
import { mismatch, newPassword, passwordsMatch } from '@/lib/password-rules'
import { sixDigits } from '@/lib/six-digits'
import { z } from '@/lib/zod'

const email = z.email('Email non valida')

export const loginSchema = z.object({
  email,
  password: z.string().min(6, 'Password deve essere almeno 6 caratteri'),
})

export const registerSchema = z
  .object({
    fullName: z.string().trim().min(2, 'Nome deve essere almeno 2 caratteri'),
    email,
    password: newPassword,
    confirmPassword: z.string(),
  })
  .refine(passwordsMatch, { ...mismatch, when: () => true })

export const forgotPasswordSchema = z.object({ email })

export const resetPasswordSchema = z
  .object({ password: newPassword, confirmPassword: z.string() })
  .refine(passwordsMatch, { ...mismatch, when: () => true })

export const codeSchema = z.object({ email, code: sixDigits })

export const totpSchema = z.object({ code: sixDigits })

/** As the server reads it: case, spaces and hyphens do not matter. */
export const recoveryCodeSchema = z.object({
  code: z
    .string()
    .transform((code) => code.replaceAll(/[\s-]/g, '').toLowerCase())
    .pipe(z.string().regex(/^[a-z2-7]{16}$/, 'Il codice di recupero ha sedici lettere e cifre')),
})

/** What a mailed token is for; `email` covers every mail to one's own address (the types of POST /verify). */
export const purpose = z.enum(['signup', 'email', 'email_change', 'recovery', 'invite', 'magiclink']).catch('email')

/** After which a password is chosen: the first one, or a new one. */
export const choosesPassword = (type: Purpose): type is 'recovery' | 'invite' =>
  type === 'recovery' || type === 'invite'

export type Purpose = z.infer<typeof purpose>
export type LoginValues = z.infer<typeof loginSchema>
export type RegisterValues = z.infer<typeof registerSchema>
export type ForgotPasswordValues = z.infer<typeof forgotPasswordSchema>
export type ResetPasswordValues = z.infer<typeof resetPasswordSchema>
export type SecondFactorValues = z.infer<typeof totpSchema>
export type CodeValues = z.infer<typeof codeSchema>
