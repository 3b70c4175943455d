/** The form of the warning and the cap: text as people type it, numbers as the table holds them. */
import type { CreditSettings } from '@/data/credit-settings'
import { z } from '@/lib/zod'

// The bounds of the table.
const MAX_THRESHOLD = 1_000_000
const MAX_CAP = 1_000_000_000

/** «1.000» is how Italians write a thousand. */
const digits = (text: string): string => text.trim().replaceAll('.', '')

const wholeNumber = (max: number) => (text: string) => /^\d{1,10}$/.test(digits(text)) && Number(digits(text)) <= max

const message = 'Scrivi un numero intero di crediti'

export const limitsSchema = z.object({
  threshold: z.string().refine(wholeNumber(MAX_THRESHOLD), message),
  cap: z.string().refine((text) => text.trim() === '' || wholeNumber(MAX_CAP)(text), message),
})

export type Limits = z.infer<typeof limitsSchema>

export function limitsOf({ low_threshold, monthly_cap }: CreditSettings): Limits {
  return { threshold: String(low_threshold), cap: monthly_cap === null ? '' : String(monthly_cap) }
}

export function settingsFrom({ threshold, cap }: Limits): CreditSettings {
  return {
    low_threshold: Number(digits(threshold)),
    monthly_cap: cap.trim() === '' ? null : Number(digits(cap)),
  }
}
