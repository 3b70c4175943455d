/** What a person says about themselves and their work, as form values and as the change of the profile. */
import { z } from '@/lib/zod'

import type { Profile, ProfileChange } from '@/data/profiles'
import { taxRegimes } from '@/strings/tax-regimes'

type TaxRegime = keyof typeof taxRegimes

export const isTaxRegime = (value: string): value is TaxRegime => Object.hasOwn(taxRegimes, value)

export const answersSchema = z.object({
  fullName: z.string().trim().min(2, 'Nome deve essere almeno 2 caratteri').max(120, 'Nome troppo lungo'),
  businessName: z.string().max(120, 'Nome troppo lungo'),
  activity: z.string().max(120, 'Descrizione troppo lunga'),
  // The empty string of an untouched radio group.
  taxRegime: z.string(),
  goal: z.string().max(500, 'Al massimo 500 caratteri'),
})

export type Answers = z.infer<typeof answersSchema>

export function answersOf(profile: Profile): Answers {
  return {
    fullName: profile.full_name ?? '',
    businessName: profile.business_name ?? '',
    activity: profile.activity ?? '',
    taxRegime: profile.tax_regime ?? '',
    goal: profile.goal ?? '',
  }
}

/** One line without stray white space; the database knows absent text only as null. */
export const line = (text: string): string | null => text.replaceAll(/\s+/g, ' ').trim() || null

export function changeFrom(answers: Answers): ProfileChange {
  return {
    full_name: line(answers.fullName),
    business_name: line(answers.businessName),
    activity: line(answers.activity),
    tax_regime: isTaxRegime(answers.taxRegime) ? answers.taxRegime : null,
    goal: answers.goal.trim() || null,
  }
}
