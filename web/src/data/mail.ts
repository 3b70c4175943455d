/** A person's own mail server, and the mails that go out through it. */
import {
  infiniteQueryOptions,
  type QueryClient,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query'

import { reloadContacts } from '@/data/contacts'
import { invoke, read, refusalOf } from '@/data/functions'
import { inboxKey } from '@/data/inbox-key'
import { unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import type { Enums, Tables } from '@/data/tables'
import { supabase } from '@/lib/supabase'

export type MailAccount = Tables<'mail_accounts'>
export type MailServer = {
  host: string
  port: number
  security: Enums<'mail_security'>
  username: string
  from_address: string
  password: string
  /** Where mail is read; null when it is not. */
  imap: { host: string; port: number; security: Enums<'mail_security'> } | null
  from_name: string
  signature: string
  /** Certified mail (PEC). */
  is_certified: boolean
}
export type OutgoingMail = {
  /** The same at each attempt: a second click is the same mail. */
  key: string
  contact_id: string
  recipient: string
  subject: string
  body: string
  basis: Enums<'mail_basis'>
  invoice_id: string | null
  /** Whether the PDF of that invoice goes with it. */
  attaches_invoice: boolean
  /** What a promotion without consent rests on: an invoice issued to the contact. */
  sale_id: string | null
  /** In the evening and on holidays too; a promotion waits all the same. */
  is_at_once: boolean
  /** Not earlier than this; null: now. */
  not_before: string | null
  /** The conversation that it answers in. */
  thread_id: string | null
}
export type Suppression = Tables<'mail_suppressions'>

const accountKey = (userId: string) => ['mail_account', userId] as const

/** The connected account; null without one. */
export function mailAccountQuery(userId: string) {
  return queryOptions({
    queryKey: accountKey(userId),
    queryFn: async (): Promise<MailAccount | null> => {
      await currentUser()
      return unwrap(await supabase.from('mail_accounts').select('*').maybeSingle())
    },
  })
}

function useAccountChange<V = void>(userId: string, mutationFn: (value: V) => Promise<unknown>) {
  const client = useQueryClient()
  return useMutation({
    mutationFn,
    onSettled: () => client.invalidateQueries({ queryKey: accountKey(userId) }),
  })
}

/** Signs in and keeps the account. @throws FunctionError with the server's reason */
export function useConnectMail(userId: string) {
  return useAccountChange(userId, async (server: MailServer) => {
    const { error } = await supabase.functions.invoke('mail_account', {
      method: 'PUT',
      body: server,
    })
    if (error) throw await refusalOf(error)
  })
}

/** The operator's shared sender, «tramite Socio», as it is offered to a person. */
export type SharedSender = {
  is_offered: boolean
  sender: string | null
  /** As recipients see it: «Giulia Ferri tramite Socio». */
  name: string
  /** The login address, to which answers go; null until it is confirmed. */
  reply_to: string | null
  /** Answers stand in «Posta» too. */
  takes_answers: boolean
  /** How many mails may still be sent now. */
  left: number
  resumes_at: string | null
  pause_reason: 'rimbalzi' | 'reclamo' | null
  paused_until: string | null
}

/** @throws FunctionError */
export function sharedSenderQuery(userId: string) {
  return queryOptions({
    queryKey: [...accountKey(userId), 'shared'],
    queryFn: () => read<SharedSender>('mail_account'),
    staleTime: 60_000,
  })
}

/** Has mails leave by the shared sender. @throws FunctionError with the reason */
export function useShareSender(userId: string) {
  return useAccountChange(userId, async () => {
    const { error } = await supabase.functions.invoke('mail_account', { method: 'PUT', body: { is_shared: true } })
    if (error) throw await refusalOf(error)
  })
}

/** Sends a mail to oneself. @throws FunctionError with the server's reason */
export function useTryMail(userId: string) {
  return useAccountChange(userId, () => invoke<{ recipient: string }>('mail_account', {}))
}

/** Writes what stands below each mail from now on; null: nothing. */
export function useChangeSignature(userId: string) {
  return useAccountChange(userId, async (signature: string | null) =>
    unwrap(await supabase.from('mail_accounts').update({ signature }).eq('user_id', userId)),
  )
}

/** Deletes the account and its password. */
export function useDisconnectMail(userId: string) {
  return useAccountChange(userId, async () =>
    unwrap(await supabase.from('mail_accounts').delete().eq('user_id', userId)),
  )
}

/** When a mail that is written now, or for a later moment, leaves: recipients have their rest. */
export function nextMailTimeQuery(at: string | null) {
  return queryOptions({
    queryKey: ['next_mail_time', at],
    queryFn: async () => unwrap(await supabase.rpc('next_mail_time', at === null ? {} : { _at: at })),
    staleTime: 60_000,
  })
}

/** Invoices issued to a contact, the latest first: what a promotion without consent may rest on. */
export function salesQuery(userId: string, contactId: string) {
  return queryOptions({
    queryKey: ['sales', userId, contactId],
    queryFn: async () => {
      await currentUser()
      return unwrap(
        await supabase
          .from('invoice_register')
          .select('id, number, issued_on')
          .eq('contact_id', contactId)
          .eq('direction', 'attiva')
          .eq('kind', 'fattura')
          .is('deleted_at', null)
          .order('issued_on', { ascending: false })
          .limit(20)
          .overrideTypes<{ id: string; number: string; issued_on: string }[], { merge: false }>(),
      )
    },
  })
}

export type DomainCheck = {
  kind: 'spf' | 'dkim' | 'dmarc'
  state: 'ok' | 'weak' | 'missing' | 'wrong' | 'unknown'
  found: string | null
  /** In words for its owner. */
  advice: string
  /** A TXT record to set. */
  name: string | null
  value: string | null
}

/** What the DNS says about the domain of the connected account. @throws FunctionError */
export function mailDomainQuery(address: string) {
  return queryOptions({
    queryKey: ['mail_domain', address],
    queryFn: () => read<{ domain: string; is_provider: boolean; checks: DomainCheck[] }>('mail_domain'),
    retry: false,
    staleTime: Infinity,
  })
}

const SUPPRESSIONS_AT_ONCE = 50

const suppressionsKey = (userId: string) => ['mail_suppressions', userId] as const

/** Whom the person never writes to, the latest first; those whose address contains what was typed. */
export function suppressionsQuery(userId: string, typed: string) {
  return infiniteQueryOptions({
    queryKey: [...suppressionsKey(userId), typed],
    queryFn: async ({ pageParam }): Promise<Suppression[]> => {
      await currentUser()
      const query = supabase.from('mail_suppressions').select('*')
      const found = typed ? query.ilike('address', `%${typed.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`) : query
      return unwrap(
        await found
          .order('created_at', { ascending: false })
          .order('id')
          .range(pageParam, pageParam + SUPPRESSIONS_AT_ONCE - 1),
      )
    },
    initialPageParam: 0,
    getNextPageParam: (page, _pages, from) =>
      page.length < SUPPRESSIONS_AT_ONCE ? undefined : from + SUPPRESSIONS_AT_ONCE,
    select: (data) => data.pages.flat(),
    placeholderData: (previous) => previous,
  })
}

/** Never writes to this address again; one that is there already stays as it is. */
export function useSuppress(userId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (address: string) =>
      unwrap(
        await supabase
          .from('mail_suppressions')
          .upsert({ address: address.trim().toLowerCase() }, { onConflict: 'user_id,address', ignoreDuplicates: true }),
      ),
    onSettled: () => client.invalidateQueries({ queryKey: suppressionsKey(userId) }),
  })
}

/** A letter stands in the history of its contact and in the inbox. */
function reloadLetters(client: QueryClient, userId: string): Promise<unknown> {
  return Promise.all([reloadContacts(client), client.invalidateQueries({ queryKey: inboxKey(userId) })])
}

/** Queues a mail; it leaves in ten seconds or later. @throws FunctionError with the reason for people */
export function useSendMail(userId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (mail: OutgoingMail) => invoke<{ id: string; not_before: string }>('send_mail', mail),
    onSuccess: () => reloadLetters(client, userId),
  })
}

/** Takes back a mail that has not left. @throws DataError when it has */
export function useCancelMail(userId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (id: string) => unwrap(await supabase.rpc('cancel_mail', { _id: id })),
    onSettled: () => reloadLetters(client, userId),
  })
}

/** The proof of a certified mail: itself, its receipts and their sums, as a ZIP. @throws as `read` */
export function mailProof(id: string): Promise<Blob> {
  return read<Blob>(`mail_proof?${new URLSearchParams({ id }).toString()}`)
}

/** Says that an uncertain mail has arrived, or sends it again. */
export function useDecideMail(userId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async ({ id, hasArrived }: { id: string; hasArrived: boolean }) =>
      unwrap(await supabase.rpc('decide_mail', { _id: id, _has_arrived: hasArrived })),
    onSettled: () => reloadLetters(client, userId),
  })
}
