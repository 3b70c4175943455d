/** A code of six digits as people type it: many apps and mails show it in two groups. */
import { z } from '@/lib/zod'

export const sixDigits = z
  .string()
  .transform((code) => code.replaceAll(/\s/g, ''))
  .pipe(z.string().regex(/^\d{6}$/, 'Il codice ha sei cifre'))
