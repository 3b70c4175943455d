/** invoices and their due dates: of one document, and the register of all. */
import {
  infiniteQueryOptions,
  type QueryClient,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query'

import { contactsKey } from '@/data/contacts-key'
import { reloadDocument } from '@/data/document'
import { documentsKey } from '@/data/documents-key'
import type { Database } from '@/data/database.gen'
import type { InvoiceContent } from '@/data/invoice-content'
import { unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import { storageHeaders } from '@/data/storage'
import { tasksKey } from '@/data/tasks'
import { clientConfig } from '@/lib/config'
import { FunctionError } from '@/lib/server-errors'
import { supabase } from '@/lib/supabase'

type Views = Database['public']['Views']
/** Of a view every column may be null; these never are. */
type Filled<T, K extends keyof T> = Omit<T, K> & { [P in K]: NonNullable<T[P]> }

/** A part of an invoice, as it counts. */
export type Part = Filled<Views['invoice_parts']['Row'], 'id' | 'invoice_id' | 'cents' | 'currency' | 'is_late'>
export type Finding = { code: string; severity: 'errore' | 'avviso' | 'nota'; text: string }
/** The file in which the same invoice counts; null when it is this one. */
type Twin = { document_id: string; filename: string } | null
type Row = Filled<
  Omit<Views['invoice_register']['Row'], 'content' | 'findings' | 'twin'>,
  | ('id' | 'document_id' | 'body_no' | 'direction' | 'type_code' | 'kind' | 'number' | 'issued_on' | 'currency')
  | ('total_cents' | 'payable_cents' | 'open_cents')
> & { twin: Twin }

export type WholeInvoice = Row & { content: InvoiceContent | null; findings: Finding[]; schedules: Part[] }

export const invoicesKey = (userId: string) => [...documentsKey(userId), 'invoices'] as const

/** The invoices in a document: none, one, or the bodies of one file. */
export function invoicesOfQuery(userId: string, documentId: string) {
  return queryOptions({
    queryKey: [...invoicesKey(userId), 'of', documentId],
    queryFn: async () => {
      await currentUser()
      const [invoices, parts] = await Promise.all([
        supabase.from('invoice_register').select('*').eq('document_id', documentId).order('body_no'),
        supabase.from('invoice_parts').select('*').eq('document_id', documentId).not('id', 'is', null).order('no'),
      ])
      const schedules = Map.groupBy(unwrap(parts) as Part[], ({ invoice_id: id }) => id)
      return (unwrap(invoices) as unknown as Omit<WholeInvoice, 'schedules'>[]).map((invoice) =>
        Object.assign(invoice, { schedules: schedules.get(invoice.id) ?? [] }),
      )
    },
  })
}

/** What the exchange system said about the file of an issued invoice, the latest first. */
export function sdiNoticesQuery(userId: string, documentId: string) {
  return queryOptions({
    queryKey: [...invoicesKey(userId), 'sdi', documentId],
    queryFn: async () => {
      await currentUser()
      return unwrap(
        await supabase
          .from('sdi_notices')
          .select('id, kind, is_refused, sentence, at')
          .eq('document_id', documentId)
          .order('at', { ascending: false })
          .limit(20),
      )
    },
  })
}

/** Everything that shows what an invoice counts for. */
export function reloadInvoices(client: QueryClient, userId: string): Promise<unknown> {
  return Promise.all([
    reloadDocument(client, userId),
    client.invalidateQueries({ queryKey: tasksKey(userId) }),
    // What contacts owe.
    client.invalidateQueries({ queryKey: contactsKey }),
  ])
}

type Payment = { id: string; paidOn: string | null }

/** The whole invoice, with all its due dates; null takes it back. */
export function useMarkInvoicePaid(userId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async ({ id, paidOn }: Payment) =>
      unwrap(await supabase.rpc('mark_invoice_paid', { _invoice_id: id, _paid_on: paidOn as string })),
    onSettled: () => reloadInvoices(client, userId),
  })
}

/** One due date; null takes it back. */
export function useMarkSchedulePaid(userId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async ({ id, paidOn }: Payment) =>
      unwrap(await supabase.rpc('mark_schedule_paid', { _schedule_id: id, _paid_on: paidOn as string })),
    onSettled: () => reloadInvoices(client, userId),
  })
}

/** A task for each due date that is not paid; those that have one keep it. Answers the first of them. */
export function useRemind(userId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (invoiceId: string) => {
      unwrap(await supabase.rpc('remind_of_schedules', { _invoice_id: invoiceId }))
      const [first] = unwrap(
        await supabase
          .from('invoice_schedules')
          .select('task_id')
          .eq('invoice_id', invoiceId)
          .is('paid_on', null)
          .not('task_id', 'is', null)
          .order('no')
          .limit(1),
      )
      return first?.task_id ?? null
    },
    onSettled: () => reloadInvoices(client, userId),
  })
}

/** Enters a scanned invoice into the register, from its fields. */
export function useConfirmInvoice(userId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (documentId: string) =>
      unwrap(await supabase.rpc('confirm_invoice', { _document_id: documentId })),
    onSettled: () => reloadInvoices(client, userId),
  })
}

/** Asks a function for a file, with the caller's token; its name is the one that the server gives it. */
export async function fetchFile(name: string, query: Record<string, string>): Promise<File> {
  const address = `${clientConfig().supabaseUrl}/functions/v1/${name}?${new URLSearchParams(query).toString()}`
  const response = await fetch(address, { headers: await storageHeaders() })
  if (!response.ok) throw new FunctionError(response.status, await response.json().catch(() => ({})), response)
  // RFC 6266: the name as UTF-8, percent-encoded.
  const [, encoded = ''] = /filename\*=UTF-8''([^;]+)/.exec(response.headers.get('content-disposition') ?? '') ?? []
  return new File([await response.blob()], decodeURIComponent(encoded))
}

/** The invoice as on paper, as a PDF. @throws FunctionError and others */
export const invoicePdf = (id: string): Promise<Blob> => fetchFile('invoice_pdf', { id })

type ExportWish = Pick<RegisterWish, 'direction' | 'from' | 'to'>

/** A table of the invoices issued in the period. @throws FunctionError and others */
export const invoicesExport = (wish: ExportWish, format: 'csv' | 'xlsx'): Promise<Blob> =>
  fetchFile('invoices_export', {
    format,
    direction: wish.direction,
    ...(wish.from && { from: wish.from }),
    ...(wish.to && { to: wish.to }),
  })

export type RegisterWish = {
  direction: 'attiva' | 'passiva'
  state: 'aperte' | 'pagate' | 'tutte'
  /** Days of issue, both included; empty for no limit. */
  from: string
  to: string
  /** Only those of this contact. */
  contactId?: string
}

const COLUMNS =
  'id, document_id, kind, type_code, number, issued_on, contact_id, contact_name, counterparty_name, currency, paid_on, total_cents, payable_cents, open_cents, late_cents, next_due_on, state, twin, is_automatic'
const PAGE_SIZE = 200

/** An invoice as a line of the register shows it. */
export type RegisteredInvoice = Pick<
  Row,
  | ('id' | 'document_id' | 'kind' | 'type_code' | 'number' | 'issued_on' | 'contact_name' | 'counterparty_name')
  | ('currency' | 'paid_on' | 'total_cents' | 'payable_cents' | 'open_cents' | 'next_due_on' | 'state' | 'twin')
  | ('is_automatic' | 'contact_id' | 'late_cents')
>

async function fetchRegister(wish: RegisterWish, offset: number): Promise<RegisteredInvoice[]> {
  await currentUser()
  let query = supabase.from('invoice_register').select(COLUMNS).is('deleted_at', null).eq('direction', wish.direction)
  if (wish.state === 'aperte') query = query.is('paid_on', null).neq('kind', 'autofattura')
  if (wish.state === 'pagate') query = query.not('paid_on', 'is', null)
  if (wish.contactId) query = query.eq('contact_id', wish.contactId)
  if (wish.from) query = query.gte('issued_on', wish.from)
  if (wish.to) query = query.lte('issued_on', wish.to)
  // What is due first, and so what is late, stands first; what has no day last.
  if (wish.state === 'aperte') query = query.order('next_due_on', { nullsFirst: false })
  const rows = await query
    .order('issued_on', { ascending: false, nullsFirst: false })
    .order('id')
    .range(offset, offset + PAGE_SIZE - 1)
  return unwrap(rows) as RegisteredInvoice[]
}

/** Two hundred at a time: of what is open the late ones first, else the newest. */
export function registerQuery(userId: string, wish: RegisterWish) {
  return infiniteQueryOptions({
    queryKey: [...invoicesKey(userId), 'register', wish],
    queryFn: ({ pageParam }) => fetchRegister(wish, pageParam),
    initialPageParam: 0,
    getNextPageParam: (page: RegisteredInvoice[], pages) => (page.length < PAGE_SIZE ? null : pages.length * PAGE_SIZE),
    select: (data) => data.pages.flat(),
  })
}

/** The open invoice of the person's own that is due first; null when none has a day. */
export function firstDueQuery(userId: string) {
  return queryOptions({
    queryKey: [...invoicesKey(userId), 'first-due'],
    queryFn: async () => {
      await currentUser()
      const rows = await supabase
        .from('invoice_register')
        .select('contact_name, counterparty_name, next_due_on')
        .is('deleted_at', null)
        .is('twin', null)
        .eq('direction', 'attiva')
        .gt('open_cents', 0)
        .not('next_due_on', 'is', null)
        .order('next_due_on')
        .limit(1)
      const [first] = unwrap(rows)
      return first?.next_due_on
        ? { name: first.contact_name ?? first.counterparty_name, dueOn: first.next_due_on }
        : null
    },
  })
}

/** A due date as the months need it; what a credit note gives back is negative. */
export type DueDate = Pick<Part, 'due_on' | 'cents' | 'paid_on' | 'is_late' | 'currency'>

const DUE_AT_MOST = 1_000

async function fetchDueDates(direction: RegisterWish['direction'], since: string): Promise<DueDate[]> {
  await currentUser()
  const dates: DueDate[] = []
  for (;;) {
    // Each page starts where the one before it ended.
    // oxlint-disable-next-line no-await-in-loop
    const page = unwrap(
      // oxlint-disable-next-line no-await-in-loop
      await supabase
        .from('invoice_parts')
        .select('due_on, cents, paid_on, is_late, currency')
        .eq('direction', direction)
        .eq('counts', true)
        .or(`paid_on.is.null,due_on.gte.${since}`)
        .order('due_on')
        .order('invoice_id')
        .order('no')
        .range(dates.length, dates.length + DUE_AT_MOST - 1),
    ) as DueDate[]
    dates.push(...page)
    if (page.length < DUE_AT_MOST) return dates
  }
}

/** What is not paid, and what was due since `since`. */
export function dueDatesQuery(userId: string, direction: RegisterWish['direction'], since: string) {
  return queryOptions({
    queryKey: [...invoicesKey(userId), 'due', direction, since],
    queryFn: () => fetchDueDates(direction, since),
  })
}

/** Whether one was issued since that day, whatever it came to: a credit note may have taken all of it back. */
export function hasIssuedQuery(userId: string, since: string) {
  return queryOptions({
    queryKey: [...invoicesKey(userId), 'any-issued', since],
    queryFn: async () => {
      await currentUser()
      const rows = await supabase
        .from('invoice_register')
        .select('id')
        .is('deleted_at', null)
        .eq('direction', 'attiva')
        .eq('currency', 'EUR')
        .neq('kind', 'autofattura')
        .gte('issued_on', since)
        .limit(1)
      return unwrap(rows).length > 0
    },
  })
}
