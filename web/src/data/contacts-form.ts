/** A contact as form values, with the checks of the database, and as what `save_contact` takes. */
import type { WholeContact } from '@/data/contacts'
import { changed } from '@/lib/changed'
import { LONGEST_LINE, LONGEST_NOTE } from '@/lib/contact-cells'
import { isItaly } from '@/lib/countries'
import { phoneNumber } from '@/lib/phone-numbers'
import { anyTaxCode, pecAddress, postalCode, province, recipientCode, vatNumber } from '@/lib/tax-ids'
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

const name = z.string().max(LONGEST_LINE, `Al massimo ${LONGEST_LINE} caratteri`)

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
    businessName: name,
    company: name,
    jobTitle: name,
    emails: z.array(
      z.object({ value: optional((typed) => (EMAIL.test(typed.trim()) ? typed : null), 'Email non valida') }),
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
    sdiCode: optional(recipientCode, 'Il codice ha 7 caratteri, 6 per la pubblica amministrazione'),
    pec: optional(pecAddress, 'PEC non valida'),
    regime: name,
    street: name,
    postalCode: z.string().max(20, 'Al massimo 20 caratteri'),
    city: name,
    province: name,
    country: name,
    website: optional(webAddress, 'Indirizzo non valido, per esempio www.rossi.it'),
    tags: z.array(z.string()).max(30, 'Al massimo 30 tag'),
    touchDays: optional(days, 'Un numero di giorni'),
    note: z.string().max(LONGEST_NOTE, 'Al massimo 20.000 caratteri'),
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

/** What decides whether another field is right. */
const deciding: Partial<Record<PropertyKey, keyof ContactValues>> = {
  businessName: 'type',
  firstName: 'type',
  postalCode: 'country',
  province: 'country',
}

/** Whether the field at this place of the form says what it said before: an import takes more than the form does. */
function isUnchanged([place, index]: PropertyKey[], values: ContactValues, former: ContactValues): boolean {
  const field = place as keyof ContactValues
  const decider = deciding[field]
  if (decider && values[decider] !== former[decider]) return false
  if (field === 'emails' || field === 'phones')
    return former[field].some(({ value }) => value === values[field][Number(index)]?.value)
  return JSON.stringify(values[field]) === JSON.stringify(former[field])
}

/** The checks of a contact that is known already: what nobody has touched is not in the way of the rest. */
export const changedContactSchema = (former: ContactValues) =>
  z.custom<ContactValues>().superRefine(async (values, context) => {
    const read = await contactSchema.safeParseAsync(values)
    for (const { path, message } of read.error?.issues ?? [])
      if (!isUnchanged(path, values, former)) context.addIssue({ code: 'custom', path, message })
  })

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

type Contact = Awaited<ReturnType<typeof contactFrom>>
type Lists = Pick<Contact, 'emails' | 'phones' | 'tags'>

/** A change of a contact; `former` are its lists as the form has seen them, of which nothing else is taken away. */
export type ContactChange = Partial<Contact> & { former?: Lists }

/** What of it the form has changed: what another tab has written meanwhile stays. */
export async function changesOf(values: ContactValues, former: ContactValues): Promise<ContactChange> {
  const [contact, known] = await Promise.all([contactFrom(values), contactFrom(former)])
  const change = changed(contact, known)
  const { emails, phones, tags } = known
  return change.emails || change.phones || change.tags ? { ...change, former: { emails, phones, tags } } : change
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
