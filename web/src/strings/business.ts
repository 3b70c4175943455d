/** The words of «Attività e dati fiscali». */
import type { Profile } from '@/data/profiles'
import { ibanInFours } from '@/lib/iban'
import { taxRegimes } from '@/strings/tax-regimes'

/** What invoices may say of a business, by its field of the profile. */
export const businessFields = {
  business_name: 'Nome dell’attività',
  tax_regime: 'Regime fiscale',
  vat_number: 'Partita IVA',
  tax_code: 'Codice fiscale',
  address: 'Indirizzo',
  pec: 'PEC',
  sdi_code: 'Codice destinatario SdI',
  business_phone: 'Telefono dell’attività',
  iban: 'IBAN',
} as const

export type BusinessField = keyof typeof businessFields

type Address = { street?: string; postal_code?: string; city?: string; province?: string }

/** «Via Po 3, 40121 Bologna (BO)». */
function addressText({ street, postal_code: code, city, province }: Address): string {
  const town = [code, city, province && `(${province})`].filter(Boolean).join(' ')
  return [street, town].filter(Boolean).join(', ')
}

/** A value of the profile as people read it. */
export function suggestionText({ field, value }: { field: string; value: unknown }): string {
  if (typeof value === 'object' && value !== null) return addressText(value)
  const text = String(value)
  if (field === 'iban') return ibanInFours(text)
  return (field === 'tax_regime' && new Map<string, string>(Object.entries(taxRegimes)).get(text)) || text
}

/** Who a business is on a paper of its own: «Giulia Ferri · P.IVA 09000018888 · Via Po 3, 40121 Bologna (BO)». */
export function businessLine(profile: Pick<Profile, 'business_name' | 'full_name' | 'vat_number' | 'address'>): string {
  // Without a name of the business the person's own is in the line above.
  const person = profile.business_name && profile.full_name
  const vat = profile.vat_number && `P.IVA ${profile.vat_number}`
  const place = profile.address && addressText(profile.address as Address)
  return [person, vat, place].filter(Boolean).join(' · ')
}
