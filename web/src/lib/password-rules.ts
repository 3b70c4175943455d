/** The rules of a new password, at registration and whenever it changes (LOGIN-06). */
import { z } from '@/lib/zod'

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

export const newPassword = z.string().check((context) => {
  // Only the first broken rule: one message under a field is enough, the checklist shows the others.
  const broken = passwordRules.find((rule) => !rule.test(context.value))
  const tooLong = new TextEncoder().encode(context.value).length > maxPasswordBytes
  const message = broken?.message ?? (tooLong ? 'Password troppo lunga' : null)
  if (message) context.issues.push({ code: 'custom', message, input: context.value })
})

export const passwordsMatch = (values: { password: string; confirmPassword: string }) =>
  values.password === values.confirmPassword

export const mismatch = { message: 'Le password non coincidono', path: ['confirmPassword'] }
