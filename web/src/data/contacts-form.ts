/** A contact as form values, with the checks of the database, and as what `save_contact` takes. */
import type { WholeContact } from '@/data/contacts'
import { changed } from '@/lib/changed'
import { isItaly } from '@/lib/countries'
import { phoneNumber } from '@/lib/phone-numbers'
import { anyTaxCode, pecAddress, postalCode, province, sdiCode, vatNumber } from '@/lib/tax-ids'
import { z } from '@/lib/zod'

const EMAIL = /^[^\s@,;<>]+@[^\s@,;<>]+\.[^\s@,;<>]+$/

/** Empty, or something that `read` understands. */
const optional = (read: (typed: string) => string | null, message: string) =>
  z.string().refine((typed) => !typed.trim() || read(typed) !== null, message)

const days = (typed: string) => (/^[1-9][0-9]{0,3}$/.test(typed.trim()) ? typed.trim() : null)

/** A link that a browser opens, also without its beginning. */
function webAddress(typed: string): string | null {
  const address = typed.trim()
  if (!address) return null
  const url = URL.parse(/^https?:\/\//i.test(address) ? address : `https://${address}`)
  return url?.hostname.includes('.') && !/\s/.test(address) ? url.href : null
}

const name = z.string().max(120, 'Al massimo 120 caratteri')

/** What only an Italian address has to comply with. */
const italianParts = [
  { field: 'postalCode', read: postalCode, message: 'Il CAP ha 5 cifre' },
  { field: 'province', read: province, message: 'Due lettere, per esempio MI' },
] as const

export const contactSchema = z
  .object({
    type: z.enum(['persona', 'azienda']),
    firstName: name,
    lastName: name,
    businessName: z.string().max(200, 'Al massimo 200 caratteri'),
    company: z.string().max(200, 'Al massimo 200 caratteri'),
    jobTitle: name,
    emails: z.array(
      z.object({ value: optional((typed) => (EMAIL.test(typed.trim()) ? typed : null), 'E-mail non valida') }),
    ),
    phones: z.array(
      z.object({
        value: z
          .string()
          .max(40, 'Al massimo 40 caratteri')
          .refine(async (typed) => !typed.trim() || (await phoneNumber(typed)) !== null, 'Numero non valido'),
      }),
    ),
    vatNumber: optional(vatNumber, 'Partita IVA non valida: controlla le 11 cifre'),
    taxCode: optional(anyTaxCode, 'Codice fiscale non valido: controlla i caratteri'),
    sdiCode: optional(
      (typed) => sdiCode(typed) ?? (/^[A-Z0-9]{6}$/i.test(typed.trim()) ? typed : null),
      'Il codice ha 7 caratteri, 6 per la pubblica amministrazione',
    ),
    pec: optional(pecAddress, 'PEC non valida'),
    regime: name,
    street: z.string().max(200, 'Al massimo 200 caratteri'),
    postalCode: z.string().max(20, 'Al massimo 20 caratteri'),
    city: name,
    province: name,
    country: name,
    website: optional(webAddress, 'Indirizzo non valido, per esempio www.rossi.it'),
    tags: z.array(z.string()).max(30, 'Al massimo 30 tag'),
    touchDays: optional(days, 'Un numero di giorni'),
    note: z.string().max(5000, 'Al massimo 5000 caratteri'),
  })
  .superRefine((values, context) => {
    if (values.type === 'azienda' && !values.businessName.trim())
      context.addIssue({ code: 'custom', path: ['businessName'], message: 'Scrivi la ragione sociale' })
    if (values.type === 'persona' && !values.firstName.trim() && !values.lastName.trim())
      context.addIssue({ code: 'custom', path: ['firstName'], message: 'Scrivi almeno il nome o il cognome' })
    for (const { field, read, message } of italianParts) {
      if (isItaly(values.country) && values[field].trim() && !read(values[field]))
        context.addIssue({ code: 'custom', path: [field], message })
    }
  })

export type ContactValues = z.infer<typeof contactSchema>

export const emptyContact = (type: ContactValues['type']): ContactValues => ({
  type,
  firstName: '',
  lastName: '',
  businessName: '',
  company: '',
  jobTitle: '',
  emails: [{ value: '' }],
  phones: [{ value: '' }],
  vatNumber: '',
  taxCode: '',
  sdiCode: '',
  pec: '',
  regime: '',
  street: '',
  postalCode: '',
  city: '',
  province: '',
  country: 'Italia',
  website: '',
  tags: [],
  touchDays: '',
  note: '',
})

/** One line without stray white space; the database knows absent text only as null. */
const line = (text: string): string | null => text.replaceAll(/\s+/g, ' ').trim() || null

/** The values as the database keeps them. */
export async function contactFrom(values: ContactValues) {
  const isPerson = values.type === 'persona'
  const phones = await Promise.all(
    values.phones.map(async ({ value }) => ({ value: line(value), norm: await phoneNumber(value) })),
  )
  const address = {
    street: line(values.street),
    postal_code: line(values.postalCode),
    city: line(values.city),
    province: province(values.province) ?? line(values.province),
    country: isItaly(values.country) ? null : line(values.country),
  }
  return {
    type: values.type,
    first_name: isPerson ? line(values.firstName) : null,
    last_name: isPerson ? line(values.lastName) : null,
    business_name: isPerson ? null : line(values.businessName),
    company: isPerson ? line(values.company) : null,
    job_title: isPerson ? line(values.jobTitle) : null,
    emails: values.emails.map(({ value }) => value.trim()).filter(Boolean),
    phones: phones.filter(({ norm }) => norm),
    vat_number: vatNumber(values.vatNumber),
    tax_code: anyTaxCode(values.taxCode),
    sdi_code: line(values.sdiCode)?.toUpperCase() ?? null,
    pec: pecAddress(values.pec),
    regime: line(values.regime),
    address: Object.values(address).some(Boolean) ? { ...address, country: address.country ?? 'IT' } : null,
    website: webAddress(values.website),
    tags: values.tags,
    touch_days: values.touchDays.trim() ? Number(values.touchDays) : null,
    note: values.note.trim() || null,
  }
}

/** What of it the form has changed: what another tab has written meanwhile stays. */
export async function changesOf(values: ContactValues, former: ContactValues) {
  const [contact, known] = await Promise.all([contactFrom(values), contactFrom(former)])
  return changed(contact, known)
}

/** Fields for these values, the main one first; one empty field where there is none. */
function rows(all: { value: string; is_primary: boolean }[]): { value: string }[] {
  const sorted = all.toSorted((a, b) => Number(b.is_primary) - Number(a.is_primary))
  return sorted.length > 0 ? sorted.map(({ value }) => ({ value })) : [{ value: '' }]
}

/** The values of a contact that is known already. */
export function valuesOf(contact: WholeContact): ContactValues {
  const address = (contact.address ?? {}) as Partial<Record<string, string | null>>
  const country = address.country ?? ''
  return {
    type: contact.type,
    firstName: contact.first_name ?? '',
    lastName: contact.last_name ?? '',
    businessName: contact.business_name ?? '',
    company: contact.listed?.company_name ?? '',
    jobTitle: contact.job_title ?? '',
    emails: rows(contact.emails),
    phones: rows(contact.phones),
    vatNumber: contact.vat_number ?? '',
    taxCode: contact.tax_code ?? '',
    sdiCode: contact.sdi_code ?? '',
    pec: contact.pec ?? '',
    regime: contact.regime ?? '',
    street: address.street ?? '',
    postalCode: address.postal_code ?? '',
    city: address.city ?? '',
    province: address.province ?? '',
    country: isItaly(country) ? 'Italia' : country,
    website: contact.website ?? '',
    tags: contact.listed?.tags ?? [],
    touchDays: contact.touch_days?.toString() ?? '',
    note: contact.note ?? '',
  }
}
