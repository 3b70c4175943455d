/** The form about the invoice: its values, its rules in Italian, and what is sent of it. */
import type { Billing } from '@/data/checkout'
import type { Profile } from '@/data/profiles'
import { anyTaxCode, pecAddress, postalCode, province, sdiCode, taxCode, vatNumber } from '@/lib/tax-ids'
import { z } from '@/lib/zod'

type Check = (typed: string) => string | null

const text = (message: string) => z.string().trim().min(2, message).max(120, 'Troppo lungo')
const checked = (check: Check, message: string) => z.string().refine((typed) => check(typed) !== null, message)
const isEmpty = (typed: string) => typed.trim() === ''
const orEmpty =
  (check: Check): Check =>
  (typed) =>
    isEmpty(typed) ? '' : check(typed)

type Rule = { field: 'tax_code' | 'vat_number' | 'sdi_code' | 'pec'; check: Check; message: string }

/** Fields of the other kind are not asked for, whatever was typed in them before. */
const rules: Record<Billing['kind'], Rule[]> = {
  persona: [{ field: 'tax_code', check: taxCode, message: 'Codice fiscale non valido' }],
  azienda: [
    { field: 'vat_number', check: vatNumber, message: 'Partita IVA non valida' },
    { field: 'tax_code', check: orEmpty(anyTaxCode), message: 'Codice fiscale non valido' },
    { field: 'sdi_code', check: orEmpty(sdiCode), message: 'Il codice destinatario ha sette caratteri' },
    { field: 'pec', check: orEmpty(pecAddress), message: 'Indirizzo PEC non valido' },
  ],
}

export const billingSchema = z
  .object({
    kind: z.enum(['persona', 'azienda']),
    name: text('Scrivi nome e cognome, o la ragione sociale'),
    tax_code: z.string(),
    vat_number: z.string(),
    sdi_code: z.string(),
    pec: z.string(),
    address: text('Scrivi via e numero civico'),
    postal_code: checked(postalCode, 'Il CAP ha cinque cifre'),
    city: text('Scrivi il comune'),
    province: checked(province, 'Due lettere, come MI'),
    consent: z.boolean().refine(Boolean, 'Per continuare serve la tua conferma'),
  })
  .superRefine((values, context) => {
    for (const { field, check, message } of rules[values.kind]) {
      if (check(values[field]) === null) context.addIssue({ code: 'custom', path: [field], message })
    }
    if (values.kind === 'azienda' && isEmpty(values.sdi_code) && isEmpty(values.pec)) {
      const message = 'Scrivi il codice destinatario, oppure la PEC'
      context.addIssue({ code: 'custom', path: ['sdi_code'], message })
    }
  })

export type BillingValues = z.infer<typeof billingSchema>

/** What the form starts with: the last order's data, else what the profile says of the business and the person. */
export function initialValues(last: Billing | null, profile: Profile | null): BillingValues {
  const known = last ?? ownData(profile)
  return {
    kind: known.kind ?? 'persona',
    name: known.name ?? '',
    tax_code: known.tax_code ?? '',
    vat_number: known.vat_number ?? '',
    sdi_code: known.sdi_code ?? '',
    pec: known.pec ?? '',
    address: known.address ?? '',
    postal_code: known.postal_code ?? '',
    city: known.city ?? '',
    province: known.province ?? '',
    consent: false,
  }
}

type Address = { street?: string; postal_code?: string; city?: string; province?: string }

function ownData(profile: Profile | null): { [name in keyof Billing]?: Billing[name] | null } {
  if (!profile) return {}
  const { street, ...place } = (profile.address ?? {}) as Address
  const isCompany = profile.vat_number !== null
  return {
    kind: isCompany ? 'azienda' : 'persona',
    name: (isCompany ? profile.business_name : null) ?? profile.full_name,
    vat_number: profile.vat_number,
    tax_code: profile.tax_code,
    sdi_code: profile.sdi_code,
    pec: profile.pec,
    address: street ?? null,
    ...place,
  }
}

/** The values as invoices carry them; fields of the other kind and empty ones are left out. */
export function toBilling(values: BillingValues): Billing {
  const isCompany = values.kind === 'azienda'
  const fields = {
    vat_number: isCompany ? vatNumber(values.vat_number) : null,
    tax_code: (isCompany ? anyTaxCode : taxCode)(values.tax_code),
    sdi_code: isCompany ? sdiCode(values.sdi_code) : null,
    pec: isCompany ? pecAddress(values.pec) : null,
  }
  return {
    kind: values.kind,
    name: values.name.trim(),
    ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value)),
    address: values.address.trim(),
    postal_code: postalCode(values.postal_code) ?? '',
    city: values.city.trim(),
    province: province(values.province) ?? '',
  }
}
