/** What of two contacts is compared and chosen, and how it reads. */
import { byAge, type Choices, type ComparedContact, type Pair, type Two } from '@/data/duplicates'

type Field = { column: string; label: string; text: (contact: ComparedContact) => string | null }

const addressParts = ['street', 'postal_code', 'city', 'province', 'country'] as const

function addressText({ address }: ComparedContact): string | null {
  const parts = (address ?? {}) as Partial<Record<(typeof addressParts)[number], string>>
  return addressParts.flatMap((part) => parts[part] || []).join(', ') || null
}

/** The columns that `merge_contacts` lets a person choose. */
const fields: Field[] = [
  { column: 'first_name', label: 'Nome', text: ({ first_name }) => first_name },
  { column: 'last_name', label: 'Cognome', text: ({ last_name }) => last_name },
  { column: 'business_name', label: 'Ragione sociale', text: ({ business_name }) => business_name },
  { column: 'company_id', label: 'Azienda', text: ({ company_name }) => company_name },
  { column: 'job_title', label: 'Ruolo', text: ({ job_title }) => job_title },
  { column: 'vat_number', label: 'Partita IVA', text: ({ vat_number }) => vat_number },
  { column: 'tax_code', label: 'Codice fiscale', text: ({ tax_code }) => tax_code },
  { column: 'sdi_code', label: 'Codice destinatario', text: ({ sdi_code }) => sdi_code },
  { column: 'pec', label: 'PEC', text: ({ pec }) => pec },
  { column: 'regime', label: 'Regime fiscale', text: ({ regime }) => regime },
  { column: 'address', label: 'Indirizzo', text: addressText },
  { column: 'website', label: 'Sito', text: ({ website }) => website },
  {
    column: 'touch_days',
    label: 'Da risentire ogni (giorni)',
    text: ({ touch_days }) => touch_days?.toString() ?? null,
  },
  { column: 'note', label: 'Nota', text: ({ note }) => note },
]

export type Difference = { column: string; label: string; first: string; second: string }

/** Where both say something, and not the same: what only one of them knows stays in any case. */
export function differences({ first, second }: Two): Difference[] {
  return fields.flatMap(({ column, label, text }) => {
    const [one, other] = [text(first), text(second)]
    return one && other && one !== other ? [{ column, label, first: one, second: other }] : []
  })
}

/** What is said of a contact in one line, to recognise it by. */
export function summary(contact: ComparedContact): string[] {
  const { company_name, emails, phones, vat_number, tax_code, contact_tags } = contact
  return [
    company_name,
    ...emails.map(({ value }) => value),
    ...phones.map(({ value }) => value),
    vat_number && `P.IVA ${vat_number}`,
    tax_code && `CF ${tax_code}`,
    addressText(contact),
    contact_tags.map(({ tags }) => `#${tags.name}`).join(' '),
  ].flatMap((text) => text || [])
}

/** Every difference by the value of the first, the older contact. */
export function initialChoices(two: Two): Choices {
  return Object.fromEntries(differences(two).map(({ column }) => [column, 'winner'] as const))
}

/**
 * What is to be merged so that all of `pairs` become one each. Pairs that share a contact are one group, of which the
 * oldest contact stays: no merge names a contact that an earlier one has taken away.
 */
export function mergesOf(pairs: readonly Pair[]): Two[] {
  let groups: ComparedContact[][] = []
  for (const { first, second } of pairs) {
    const has = (group: ComparedContact[]) => group.some(({ id }) => id === first.id || id === second.id)
    const joined = new Map([...groups.filter(has).flat(), first, second].map((contact) => [contact.id, contact]))
    groups = [...groups.filter((group) => !has(group)), [...joined.values()]]
  }
  return groups.flatMap((group) => {
    const [winner, ...losers] = group.toSorted(byAge)
    return winner ? losers.map((second) => ({ first: winner, second })) : []
  })
}

const reasonTexts: Record<string, string> = {
  codice_fiscale: 'stesso codice fiscale',
  partita_iva: 'stessa partita IVA',
  pec: 'stessa PEC',
  email: 'stessa email',
  telefono: 'stesso telefono',
  nome: 'stesso nome',
  nome_simile: 'nome simile',
  azienda: 'stessa azienda',
  dominio: 'email dello stesso dominio',
}

export const reasonText = (reason: string): string => reasonTexts[reason] ?? reason

/** From here on two contacts are almost certainly one. */
export const SURE = 0.9

/** How sure it is, in a word that people trust more than two digits. */
export function likelihood(score: number): string {
  if (score >= SURE) return 'quasi certo'
  return score >= 0.7 ? 'molto probabile' : 'possibile'
}
