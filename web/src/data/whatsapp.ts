/** A person's WhatsApp number, its conversations with contacts, and templates. */
import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import { invoke, read, refusalOf } from '@/data/functions'
import { pollingInterval, unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import type { Tables } from '@/data/tables'
import { whatsappKey } from '@/data/whatsapp-key'
import { supabase } from '@/lib/supabase'

export type WhatsappAccount = Tables<'whatsapp_accounts'>
export type WhatsappTemplate = Tables<'whatsapp_templates'>
export type WhatsappMessage = Tables<'whatsapp_messages'> & {
  documents: Pick<Tables<'documents'>, 'storage_path' | 'deleted_at'> | null
}
/** What a message carries: a document, or an invoice as its PDF. */
export type WhatsappFile = { name: string; document_id?: string; invoice_id?: string }
export type WhatsappChat = Tables<'contact_channels'> & { contacts: Pick<Tables<'contacts'>, 'name'> | null }
export type WhatsappNumber = { phone_number_id: string; waba_id: string; token: string; app_secret: string }
/** A free text, or a template with its places filled in. */
export type WhatsappDraft = {
  /** The same at each attempt: a second click is the same message. */
  key: string
  channel_id: string
  body?: string
  document_id?: string
  invoice_id?: string
  template_id?: string
  values?: Record<string, string>
  /** In the evening and on holidays too; a promotion waits all the same. */
  is_at_once?: boolean
}

const CHATS_AT_ONCE = 50
const MESSAGES_AT_ONCE = 50
const CHAT = '*, contacts(name)'
const FILES_AT_ONCE = 6
const HISTORY_INTERVAL_MS = 5_000

/** The connected number; null without one. */
export function whatsappAccountQuery(userId: string) {
  return queryOptions({
    queryKey: [...whatsappKey(userId), 'account'],
    queryFn: async (): Promise<WhatsappAccount | null> => {
      await currentUser()
      return unwrap(await supabase.from('whatsapp_accounts').select('*').maybeSingle())
    },
    refetchInterval: (query) =>
      query.state.data && isHistoryComing(query.state.data) ? HISTORY_INTERVAL_MS : pollingInterval(query),
  })
}

/** Whether messages of the phone may still come in; within a day of the connection they do, or never will. */
function isHistoryComing({ history_state: state, created_at: at }: WhatsappAccount): boolean {
  const isOpen = state === 'da_chiedere' || state === 'attesa' || state === 'in_corso'
  return isOpen && Date.now() - Date.parse(at) < 86_400_000
}

/** A number to try it with, where the server has one, and whether numbers are connected at Meta. @throws FunctionError */
export function whatsappOfferQuery() {
  return queryOptions({
    queryKey: ['whatsapp_offer'],
    queryFn: () => read<{ sandbox: (WhatsappNumber & { page: string }) | null; signup: boolean }>('whatsapp_account'),
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** Conversations that wait for an answer, or are done; the latest first. */
export function whatsappChatsQuery(userId: string, isDone: boolean) {
  return infiniteQueryOptions({
    queryKey: [...whatsappKey(userId), 'chats', isDone],
    queryFn: async ({ pageParam }): Promise<WhatsappChat[]> => {
      await currentUser()
      return unwrap(
        await supabase
          .from('contact_channels')
          .select(CHAT)
          .eq('is_done', isDone)
          .order('last_at', { ascending: false })
          .order('id')
          .range(pageParam, pageParam + CHATS_AT_ONCE - 1),
      )
    },
    initialPageParam: 0,
    getNextPageParam: (page, _pages, from) => (page.length < CHATS_AT_ONCE ? undefined : from + CHATS_AT_ONCE),
    // A conversation that came meanwhile pushes the last one onto the next page.
    select: (data) => [...new Map(data.pages.flat().map((chat) => [chat.id, chat])).values()],
    refetchInterval: pollingInterval,
  })
}

/** One conversation, whichever list it is in; null when it is gone. */
export function whatsappChatQuery(userId: string, chatId: string) {
  return queryOptions({
    queryKey: [...whatsappKey(userId), 'chat', chatId],
    queryFn: async (): Promise<WhatsappChat | null> => {
      await currentUser()
      return unwrap(await supabase.from('contact_channels').select(CHAT).eq('id', chatId).maybeSingle())
    },
    refetchInterval: pollingInterval,
  })
}

/** The conversations with a contact, the latest first: one for each identity. */
export function whatsappChatsOfQuery(userId: string, contactId: string) {
  return queryOptions({
    queryKey: [...whatsappKey(userId), 'of', contactId],
    queryFn: async (): Promise<WhatsappChat[]> => {
      await currentUser()
      return unwrap(
        await supabase
          .from('contact_channels')
          .select(CHAT)
          .eq('contact_id', contactId)
          .order('last_at', { ascending: false })
          .limit(10),
      )
    },
    refetchInterval: pollingInterval,
  })
}

/** The messages of a conversation until a moment, or all; oldest first. The pages go back in time. */
export function whatsappMessagesQuery(userId: string, chatId: string, until: string | null) {
  return infiniteQueryOptions({
    queryKey: [...whatsappKey(userId), 'messages', chatId, until],
    queryFn: async ({ pageParam }): Promise<WhatsappMessage[]> => {
      await currentUser()
      const messages = supabase
        .from('whatsapp_messages')
        .select('*, documents(storage_path, deleted_at)')
        .eq('channel_id', chatId)
      return unwrap(
        await (until ? messages.lte('at', until) : messages)
          .order('at', { ascending: false })
          .order('id')
          .range(pageParam, pageParam + MESSAGES_AT_ONCE - 1),
      )
    },
    initialPageParam: 0,
    getNextPageParam: (page, _pages, from) => (page.length < MESSAGES_AT_ONCE ? undefined : from + MESSAGES_AT_ONCE),
    select: (data) => [...new Map(data.pages.flat().map((message) => [message.id, message])).values()].toReversed(),
    refetchInterval: pollingInterval,
  })
}

/** The messages that brought a document or took it along, or reminded of its invoices; the latest first. */
export function whatsappOfDocumentQuery(userId: string, documentId: string, invoiceIds: readonly string[]) {
  return queryOptions({
    queryKey: [...whatsappKey(userId), 'document', documentId, invoiceIds],
    queryFn: async () => {
      await currentUser()
      // A message has the key of the step that sent it.
      const steps = await Promise.all(
        invoiceIds.map((id) =>
          supabase
            .from('goal_steps')
            .select('id')
            .contains('args', { channel: 'whatsapp', items: [{ invoice_id: id }] })
            .limit(5),
        ),
      )
      const keys = steps.flatMap(unwrap).map(({ id }) => id)
      const about = [
        `document_id.eq.${documentId}`,
        ...invoiceIds.map((id) => `invoice_id.eq.${id}`),
        ...keys.map((key) => `key.eq.${key}`),
      ]
      return unwrap(
        await supabase
          .from('whatsapp_messages')
          .select('id, channel_id, direction, at, contacts(name)')
          .or(about.join())
          // A received one has no state.
          .or('state.is.null,state.not.in.(cancelled,failed)')
          .order('at', { ascending: false })
          .limit(5),
      )
    },
  })
}

/** What may be sent to a contact: the contact's documents and invoices, or those whose name or number holds `text`. */
export function whatsappFilesQuery(userId: string, contactId: string, text: string) {
  return queryOptions({
    queryKey: [...whatsappKey(userId), 'files', contactId, text],
    queryFn: async (): Promise<WhatsappFile[]> => {
      await currentUser()
      const pattern = `%${text.trim().replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
      let documents = supabase.from('documents').select('id, filename').is('deleted_at', null)
      documents = text.trim() ? documents.ilike('filename', pattern) : documents.eq('contact_id', contactId)
      const [papers, invoices] = await Promise.all([
        documents.order('created_at', { ascending: false }).order('id').limit(FILES_AT_ONCE),
        supabase
          .from('invoices')
          .select('id, number')
          .eq('direction', 'attiva')
          .eq('contact_id', contactId)
          .ilike('number', pattern)
          .order('issued_on', { ascending: false })
          .order('id')
          .limit(FILES_AT_ONCE),
      ])
      return [
        ...unwrap(invoices).map(({ id, number }) => ({ invoice_id: id, name: `Fattura ${number ?? ''}, PDF` })),
        ...unwrap(papers).map(({ id, filename }) => ({ document_id: id, name: filename })),
      ]
    },
  })
}

/** The templates of the number, by name. */
export function whatsappTemplatesQuery(userId: string) {
  return queryOptions({
    queryKey: [...whatsappKey(userId), 'templates'],
    queryFn: async (): Promise<WhatsappTemplate[]> => {
      await currentUser()
      return unwrap(await supabase.from('whatsapp_templates').select('*').order('name').limit(200))
    },
    // Meta decides within moments or hours.
    refetchInterval: (query) =>
      query.state.data?.some(({ state }) => state === 'PENDING') ? 3_000 : pollingInterval(query),
  })
}

/** This month's messages as Meta counts them. */
export function whatsappUsageQuery(userId: string) {
  return queryOptions({
    queryKey: [...whatsappKey(userId), 'usage'],
    queryFn: async () => {
      await currentUser()
      return unwrap(await supabase.rpc('whatsapp_usage'))
    },
  })
}

function useWhatsappChange<V = void, T = unknown>(userId: string, mutationFn: (value: V) => Promise<T>) {
  const client = useQueryClient()
  return useMutation({
    mutationFn,
    onSettled: () => client.invalidateQueries({ queryKey: whatsappKey(userId) }),
  })
}

async function askAccount(method: 'PUT' | 'DELETE', body?: WhatsappNumber): Promise<void> {
  const { error } = await supabase.functions.invoke('whatsapp_account', { method, ...(body && { body }) })
  if (error) throw await refusalOf(error)
}

/** Reads the number from Meta and keeps it. @throws FunctionError with the reason for people */
export function useConnectWhatsapp(userId: string) {
  return useWhatsappChange(userId, (number: WhatsappNumber) => askAccount('PUT', number))
}

/** Reads the number again. @throws FunctionError with the reason for people */
export function useCheckWhatsapp(userId: string) {
  return useWhatsappChange(userId, () => invoke<object>('whatsapp_account', {}))
}

/** Takes the webhook away and forgets number and secrets. @throws FunctionError */
export function useDisconnectWhatsapp(userId: string) {
  return useWhatsappChange(userId, () => askAccount('DELETE'))
}

/** Queues a message. @throws FunctionError with the reason for people */
export function useSendWhatsapp(userId: string) {
  return useWhatsappChange(userId, (draft: WhatsappDraft) =>
    invoke<{ id: string; not_before: string }>('send_whatsapp', draft),
  )
}

/** Has the missing file of a message fetched again. @throws FunctionError */
export function useFetchWhatsappFile(userId: string) {
  return useWhatsappChange(userId, (id: string) => invoke<object>('whatsapp_media', { id }))
}

/** Has a voice note become text. @throws FunctionError with the reason for people */
export function useTranscribeVoice(userId: string) {
  return useWhatsappChange(userId, (asked: { id: string; max_credits: number }) =>
    invoke<object>('transcribe_voice', asked),
  )
}

/** Takes back a message that has not left. @throws DataError when it has */
export function useCancelWhatsapp(userId: string) {
  return useWhatsappChange(userId, async (id: string) => unwrap(await supabase.rpc('cancel_whatsapp', { _id: id })))
}

/** Says of an uncertain message whether it has arrived. */
export function useDecideWhatsapp(userId: string) {
  return useWhatsappChange(userId, async ({ id, hasArrived }: { id: string; hasArrived: boolean }) =>
    unwrap(await supabase.rpc('decide_whatsapp', { _id: id, _has_arrived: hasArrived })),
  )
}

/** Puts a conversation among those that are done, or back. */
export function useFinishChat(userId: string) {
  return useWhatsappChange(userId, async ({ id, isDone }: { id: string; isDone: boolean }) =>
    unwrap(await supabase.from('contact_channels').update({ is_done: isDone }).eq('id', id)),
  )
}

/** Proposes a template to Meta. @throws FunctionError with the reason for people */
export function useProposeTemplate(userId: string) {
  return useWhatsappChange(
    userId,
    (template: { name: string; category: string; body: string; examples: Record<string, string> }) =>
      invoke<{ state: string }>('whatsapp_templates', template),
  )
}
