/** The money between the caller and one contact: sums, and the invoices behind them. */
import { queryOptions } from '@tanstack/react-query'

import { contactsKey } from '@/data/contacts-key'
import type { Database } from '@/data/database.gen'
import { unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import { supabase } from '@/lib/supabase'

type Row = Database['public']['Functions']['contact_money']['Returns'][number]
/** Amounts of a contact, its company or one of its people, in one direction and currency. */
export type ContactMoney = Omit<Row, 'relation' | 'late_since'> & {
  relation: 'stesso' | 'azienda' | 'persona'
  late_since: string | null
}

export function contactMoneyQuery(contactId: string) {
  return queryOptions({
    queryKey: [...contactsKey, 'money', contactId],
    queryFn: async () => {
      await currentUser()
      return unwrap(await supabase.rpc('contact_money', { _contact_id: contactId })) as ContactMoney[]
    },
  })
}

type Summed = 'open_cents' | 'late_cents' | 'invoiced_net_cents' | 'invoiced_cents' | 'paid_cents'
/** What one direction comes to in one currency. */
export type MoneySum = Record<Summed | 'paid_days' | 'paid_count', number> &
  Pick<ContactMoney, 'direction' | 'currency' | 'late_since'>

const SUMMED = [
  'open_cents',
  'late_cents',
  'invoiced_net_cents',
  'invoiced_cents',
  'paid_cents',
  'paid_days',
  'paid_count',
] as const

/** The sums of these rows by direction and currency, which are never added to each other; euros first. */
export function sumsOf(rows: readonly ContactMoney[]): MoneySum[] {
  const groups = Map.groupBy(rows, ({ direction, currency }) => `${direction} ${currency === 'EUR' ? '' : currency}`)
  return [...groups]
    .toSorted(([one], [other]) => one.localeCompare(other))
    .flatMap(([, [first, ...others]]) => (first ? [others.reduce<MoneySum>(add, first)] : []))
}

function add(sum: MoneySum, row: ContactMoney): MoneySum {
  const since = [sum.late_since, row.late_since].filter((day) => day !== null).toSorted()
  const sums = Object.fromEntries(SUMMED.map((key) => [key, sum[key] + row[key]])) as Pick<
    MoneySum,
    (typeof SUMMED)[number]
  >
  return { ...sum, ...sums, late_since: since[0] ?? null }
}

export type InvoiceState = 'aperte' | 'scadute' | 'pagate'

type Register = Database['public']['Views']['invoice_register']['Row']
type Shown =
  | 'id'
  | 'document_id'
  | 'number'
  | 'kind'
  | 'direction'
  | 'issued_on'
  | 'open_cents'
  | 'payable_cents'
  | 'currency'
/** An invoice as the page of its contact shows it. */
export type InvoiceAbout = { [K in Shown]: NonNullable<Register[K]> } & Pick<
  Register,
  'contact_id' | 'contact_name' | 'next_due_on' | 'paid_on' | 'state'
>

const COLUMNS =
  'id, document_id, number, kind, direction, issued_on, open_cents, payable_cents, currency, contact_id, contact_name, next_due_on, paid_on, state'
const AT_MOST = 5

/** Of these contacts: what is open, the first to be paid first, or what was paid, the last first; in one file each. */
export function invoicesAboutQuery(contactIds: readonly string[], state: InvoiceState) {
  return queryOptions({
    queryKey: [...contactsKey, 'invoices', contactIds, state],
    queryFn: async () => {
      await currentUser()
      const query = supabase
        .from('invoice_register')
        .select(COLUMNS, { count: 'exact' })
        .in('contact_id', [...contactIds])
        .neq('kind', 'autofattura')
        .is('deleted_at', null)
        .is('twin', null)
      const narrowed = {
        aperte: () => query.is('paid_on', null).order('next_due_on', { nullsFirst: false }),
        scadute: () => query.eq('state', 'scaduta').order('next_due_on'),
        pagate: () => query.not('paid_on', 'is', null).order('paid_on', { ascending: false }),
      }[state]()
      const answer = await narrowed.order('issued_on').order('id').limit(AT_MOST)
      return { invoices: unwrap(answer) as InvoiceAbout[], count: answer.count ?? 0 }
    },
  })
}

type Identity = { id: string; name: string; vat_number: string | null; tax_code: string | null }

const quoted = (value: string) => `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`

/** Invoices of nobody that name this contact or its numbers: in no sum of the page until they are linked. */
export function unlinkedInvoicesQuery({ id, name, vat_number, tax_code }: Identity) {
  return queryOptions({
    queryKey: [...contactsKey, 'unlinked-invoices', id, name, vat_number, tax_code],
    queryFn: async () => {
      await currentUser()
      const numbers = [vat_number, tax_code].filter((number) => number !== null)
      const conditions = [
        `counterparty_name.ilike.${quoted(name.replaceAll(/[\\%_*]/g, '_'))}`,
        ...(numbers.length > 0 ? [`counterparty_vat.in.(${numbers.map(quoted).join(',')})`] : []),
      ]
      return unwrap(
        await supabase
          .from('invoice_register')
          .select(COLUMNS)
          .is('contact_id', null)
          .or(conditions.join(','))
          .neq('kind', 'autofattura')
          .is('deleted_at', null)
          .is('twin', null)
          .order('issued_on')
          .order('id')
          .limit(AT_MOST),
      ) as InvoiceAbout[]
    },
  })
}
