/** All contacts of the caller as a vCard file, for telephones and mail programs. */
import { unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import { supabase } from '@/lib/supabase'
import { type CardContact, vcardsOf } from '@/lib/vcard'

const PAGE_SIZE = 500
const COLUMNS =
  'id, type, name, first_name, last_name, company_id, job_title, vat_number, tax_code, sdi_code, pec, website, note, address, emails:contact_emails(value), phones:contact_phones(norm), contact_tags(tags(name))'

async function fetchPage(after: string | null) {
  const query = supabase
    .from('contacts')
    .select(COLUMNS)
    .is('merged_into', null)
    .is('deleted_at', null)
    .order('id')
    .limit(PAGE_SIZE)
  return unwrap(await (after ? query.gt('id', after) : query))
}

type Row = Awaited<ReturnType<typeof fetchPage>>[number]

async function fetchAll(after: string | null = null): Promise<Row[]> {
  const page = await fetchPage(after)
  return page.length < PAGE_SIZE ? page : [...page, ...(await fetchAll(page.at(-1)?.id ?? null))]
}

function cardOf(row: Row, companies: ReadonlyMap<string, string>): CardContact {
  const { company_id, emails, phones, contact_tags, address, name, ...fields } = row
  return {
    ...fields,
    name: name ?? '',
    company: (company_id && companies.get(company_id)) || null,
    address: address as CardContact['address'],
    emails: emails.map(({ value }) => value),
    phones: phones.map(({ norm }) => norm),
    tags: contact_tags.map(({ tags }) => tags.name),
  }
}

/** The text of the file; empty when there is nobody. */
export async function contactsVcard(): Promise<string> {
  await currentUser()
  const rows = await fetchAll()
  const companies = new Map(rows.map(({ id, name }) => [id, name ?? '']))
  return vcardsOf(rows.map((row) => cardOf(row, companies)))
}
