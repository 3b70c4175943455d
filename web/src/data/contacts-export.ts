/** Contacts as a file for a spreadsheet, with all their addresses and numbers. */
import { inChunks } from '@/data/chunks'
import { type ContactWish, idsOf } from '@/data/contacts'
import { unwrap } from '@/data/postgrest'
import { csvOf } from '@/lib/csv'
import { supabase } from '@/lib/supabase'
import { contactOrigins } from '@/strings/crm'
import { dayInDigits } from '@/strings/dates'

const COLUMNS =
  'id, type, first_name, last_name, business_name, job_title, vat_number, tax_code, sdi_code, pec, regime, address, website, origin, last_interaction_at, note, emails:contact_emails(value), phones:contact_phones(value), contact_tags(tags(name))'

async function fetchWhole(ids: readonly string[]) {
  const [found, employed] = await Promise.all([
    supabase.from('contacts').select(COLUMNS).in('id', ids),
    supabase.from('contact_list').select('id, company_name').in('id', ids).not('company_name', 'is', null),
  ])
  const companies = new Map(unwrap(employed).map(({ id, company_name }) => [id, company_name]))
  const rows = unwrap(found).map((row) => Object.assign(row, { company: companies.get(row.id) }))
  const places = new Map(ids.map((id, place) => [id, place]))
  return rows.toSorted((a, b) => (places.get(a.id) ?? 0) - (places.get(b.id) ?? 0))
}

type Whole = Awaited<ReturnType<typeof fetchWhole>>[number]
type Address = Partial<Record<'street' | 'postal_code' | 'city' | 'province' | 'country', string | null>>

const address = (row: Whole) => (row.address ?? {}) as Address
const joined = (rows: { value: string }[]) => rows.map(({ value }) => value).join(', ')

/** Headers are those that the import recognises. */
const columns: [header: string, cell: (row: Whole) => string | null | undefined][] = [
  ['Tipo', (row) => row.type],
  ['Nome', (row) => row.first_name],
  ['Cognome', (row) => row.last_name],
  ['Ragione sociale', (row) => row.business_name],
  ['Azienda', (row) => row.company],
  ['Ruolo', (row) => row.job_title],
  ['Email', (row) => joined(row.emails)],
  ['Telefono', (row) => joined(row.phones)],
  ['P.IVA', (row) => row.vat_number],
  ['Codice fiscale', (row) => row.tax_code],
  ['Codice SDI', (row) => row.sdi_code],
  ['PEC', (row) => row.pec],
  ['Regime fiscale', (row) => row.regime],
  ['Indirizzo', (row) => address(row).street],
  ['CAP', (row) => address(row).postal_code],
  ['Città', (row) => address(row).city],
  ['Provincia', (row) => address(row).province],
  ['Paese', (row) => address(row).country],
  ['Sito', (row) => row.website],
  ['Tag', (row) => row.contact_tags.map(({ tags }) => tags.name).join(', ')],
  ['Origine', (row) => contactOrigins[row.origin]],
  ['Ultimo contatto', (row) => row.last_interaction_at && dayInDigits(row.last_interaction_at)],
  ['Note', (row) => row.note],
]

/** The text of a CSV file with these contacts, or with all that the list shows. */
export async function contactsCsv(wanted: readonly string[] | ContactWish): Promise<string> {
  const ids = 'type' in wanted ? await idsOf(wanted) : wanted
  const rows = await inChunks(ids, fetchWhole)
  return csvOf(
    columns.map(([header]) => header),
    rows.map((row) => columns.map(([, cell]) => cell(row) ?? '')),
  )
}
