/** What the business of a person is on paper: parts of the profile as form values, with the checks of the database. */
import { queryOptions } from '@tanstack/react-query'

import type { Database } from '@/data/database.gen'
import { invoicesKey } from '@/data/invoices'
import { unwrap } from '@/data/postgrest'
import { isTaxRegime, line } from '@/data/profile-answers'
import type { Profile, ProfileChange } from '@/data/profiles'
import { currentUser } from '@/data/session'
import { iban, ibanInFours } from '@/lib/iban'
import { phoneFormatter, phoneNumber } from '@/lib/phone-numbers'
import { supabase } from '@/lib/supabase'
import { anyTaxCode, ateco, pecAddress, postalCode, province, recipientCode, vatNumber } from '@/lib/tax-ids'
import { z } from '@/lib/zod'

type Row = Database['public']['Functions']['business_suggestions']['Returns'][number]

/** A value that an invoice names; `sender`: whose invoice, of one that was received. */
export type BusinessSuggestion = Omit<Row, 'sender'> & { sender: string | null }

export function businessSuggestionsQuery(userId: string) {
  return queryOptions({
    queryKey: [...invoicesKey(userId), 'business'],
    queryFn: async (): Promise<BusinessSuggestion[]> => {
      await currentUser()
      return unwrap(await supabase.rpc('business_suggestions'))
    },
  })
}

/** Empty, or something that `read` understands. */
const optional = (read: (typed: string) => string | null, message: string) =>
  z.string().refine((typed) => !typed.trim() || read(typed) !== null, message)

const text = (most: number) => z.string().max(most, `Al massimo ${most} caratteri`)

export const activitySchema = z.object({
  businessName: text(120),
  activity: text(120),
  // The empty string of an untouched radio group.
  taxRegime: z.string(),
  ateco: optional(ateco, 'Il codice ATECO ha sei cifre, come 74.12.01'),
})

export type ActivityValues = z.infer<typeof activitySchema>

export const activityOf = (profile: Profile): ActivityValues => ({
  businessName: profile.business_name ?? '',
  activity: profile.activity ?? '',
  taxRegime: profile.tax_regime ?? '',
  ateco: profile.ateco ?? '',
})

export const activityChange = (values: ActivityValues): ProfileChange => ({
  business_name: line(values.businessName),
  activity: line(values.activity),
  tax_regime: isTaxRegime(values.taxRegime) ? values.taxRegime : null,
  ateco: ateco(values.ateco),
})

export const taxSchema = z.object({
  vatNumber: optional(vatNumber, 'Partita IVA non valida: controlla le 11 cifre'),
  taxCode: optional(anyTaxCode, 'Codice fiscale non valido: controlla i caratteri'),
  street: text(200),
  postalCode: optional(postalCode, 'Il CAP ha 5 cifre'),
  city: text(120),
  province: optional(province, 'Due lettere, per esempio MI'),
  pec: optional(pecAddress, 'PEC non valida, per esempio studio@pec.it'),
  sdiCode: optional(recipientCode, 'Il codice ha 7 caratteri, 6 per la pubblica amministrazione'),
  businessPhone: z
    .string()
    .refine(async (typed) => !typed.trim() || (await phoneNumber(typed)) !== null, 'Numero non valido'),
})

export type TaxValues = z.infer<typeof taxSchema>

type Address = { street?: string; postal_code?: string; city?: string; province?: string }

const addressIn = (value: Profile['address']) => (value ?? {}) as Address

const addressFields = ({ street, postal_code: code, city, province: letters }: Address) => ({
  street: street ?? '',
  postalCode: code ?? '',
  city: city ?? '',
  province: letters ?? '',
})

export const taxOf = (profile: Profile): TaxValues => ({
  vatNumber: profile.vat_number ?? '',
  taxCode: profile.tax_code ?? '',
  ...addressFields(addressIn(profile.address)),
  pec: profile.pec ?? '',
  sdiCode: profile.sdi_code ?? '',
  businessPhone: profile.business_phone ?? '',
})

/** A number as the database keeps it; null for an empty field. */
export const typedPhone = async (typed: string): Promise<string | null> => (typed.trim() ? phoneNumber(typed) : null)

export async function taxChange(values: TaxValues): Promise<ProfileChange> {
  const parts = {
    street: line(values.street),
    postal_code: postalCode(values.postalCode),
    city: line(values.city),
    province: province(values.province),
  }
  const written = Object.entries(parts).filter(([, part]) => part !== null)
  return {
    vat_number: vatNumber(values.vatNumber),
    tax_code: anyTaxCode(values.taxCode),
    address: written.length > 0 ? Object.fromEntries(written) : null,
    pec: pecAddress(values.pec),
    sdi_code: recipientCode(values.sdiCode),
    business_phone: await typedPhone(values.businessPhone),
  }
}

export const paymentSchema = z.object({
  iban: optional(iban, 'IBAN non valido: controlla lettere e cifre, quello italiano ha 27 caratteri'),
  accountHolder: text(120),
})

export type PaymentValues = z.infer<typeof paymentSchema>

export const paymentOf = (profile: Profile): PaymentValues => ({
  iban: profile.iban ? ibanInFours(profile.iban) : '',
  accountHolder: profile.account_holder ?? '',
})

export const paymentChange = (values: PaymentValues): ProfileChange => ({
  iban: iban(values.iban),
  account_holder: line(values.accountHolder),
})

/** The fields of a form as a suggestion fills them in. */
export async function suggested({ field, value }: BusinessSuggestion): Promise<Record<string, string>> {
  if (field === 'address') return addressFields(addressIn(value))
  const typed = typeof value === 'string' ? value : ''
  switch (field) {
    case 'iban':
      return { iban: ibanInFours(typed) }
    case 'business_phone':
      return { businessPhone: (await phoneFormatter())(typed)?.text ?? typed }
    default:
      return { [field.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase())]: typed }
  }
}

/** What the database refuses, by the name of its rule, as the field of a form. */
const fields: Record<string, string> = {
  business_name_fits: 'businessName',
  ateco_is_one: 'ateco',
  vat_number_is_one: 'vatNumber',
  tax_code_is_one: 'taxCode',
  address_has_known_parts: 'street',
  address_is_italian: 'postalCode',
  pec_is_an_address: 'pec',
  sdi_code_is_one: 'sdiCode',
  business_phone_is_one: 'businessPhone',
  iban_is_one: 'iban',
  account_holder_fits: 'accountHolder',
}

/** The field that the server did not accept, null where that was not why it failed. */
export function refusedField(failure: unknown): string | null {
  const rule = failure instanceof Error ? /check constraint "(\w+)"/.exec(failure.message)?.[1] : undefined
  return (rule && fields[rule]) ?? null
}
