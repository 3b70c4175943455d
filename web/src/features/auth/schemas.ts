/**
 * Validation of the public forms, with the messages of spec section 5.
 */
import { z } from '@/lib/zod'

const email = z.email('Email non valida')

/** The password rules of registration; the same list is checked by the server and shown as help under the field. */
export const passwordRules = [
  {
    label: '8 caratteri',
    message: 'Password deve essere almeno 8 caratteri',
    test: (value: string) => value.length >= 8,
  },
  {
    label: 'una maiuscola',
    message: 'Password deve contenere almeno una maiuscola',
    test: (value: string) => /[A-Z]/.test(value),
  },
  {
    label: 'una minuscola',
    message: 'Password deve contenere almeno una minuscola',
    test: (value: string) => /[a-z]/.test(value),
  },
  {
    label: 'un numero',
    message: 'Password deve contenere almeno un numero',
    test: (value: string) => /[0-9]/.test(value),
  },
] as const

/** The server hashes at most 72 bytes, so a longer password is refused here in words. */
const maxPasswordBytes = 72

const newPassword = z.string().check((context) => {
  // Only the first broken rule: one message under a field is enough, the checklist shows the others.
  const broken = passwordRules.find((rule) => !rule.test(context.value))
  const tooLong = new TextEncoder().encode(context.value).length > maxPasswordBytes
  const message = broken?.message ?? (tooLong ? 'Password troppo lunga' : null)
  if (message) context.issues.push({ code: 'custom', message, input: context.value })
})

const passwordsMatch = (values: { password: string; confirmPassword: string }) =>
  values.password === values.confirmPassword

const mismatch = { message: 'Le password non coincidono', path: ['confirmPassword'] }

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

export const codeSchema = z.object({
  email,
  code: z
    .string()
    .trim()
    .regex(/^\d{6}$/, 'Il codice ha sei cifre'),
})

/** What a mailed token is for; `email` covers every mail to one's own address (the types of POST /verify). */
export const purpose = z.enum(['signup', 'email', 'email_change', 'recovery']).catch('email')

export type Purpose = z.infer<typeof purpose>
export type LoginValues = z.infer<typeof loginSchema>
export type RegisterValues = z.infer<typeof registerSchema>
export type ForgotPasswordValues = z.infer<typeof forgotPasswordSchema>
export type ResetPasswordValues = z.infer<typeof resetPasswordSchema>
export type CodeValues = z.infer<typeof codeSchema>
