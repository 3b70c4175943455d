/** Mail that was read from the person's mailbox, in threads. */
import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import { reloadContacts } from '@/data/contacts'
import { dealsKey } from '@/data/deals'
import { invoke } from '@/data/functions'
import { inboxKey } from '@/data/inbox-key'
import { LETTER, type SentLetter } from '@/data/letters'
import { pollingInterval, unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import type { Tables } from '@/data/tables'
import { tasksKey } from '@/data/tasks'
import { supabase } from '@/lib/supabase'

export type MailInbox = Tables<'mail_inboxes'>
export type MailThread = Tables<'mail_threads'>
export type ReceivedMail = Tables<'received_mails'>
/** What differs from what is known of the sender. */
export type MailWarning = { kind: 'iban' | 'domain' | 'dmarc'; value: string; known: string }
/** What the provider says of certified mail; an anomaly came from an ordinary mailbox. */
export type MailCertificate = { is_certified: boolean; at: string | null; provider: string | null }
/** The event that a mail invites to, or calls off. */
export type MailInvitation = {
  title: string
  starts_at: string | null
  is_allday: boolean
  place: string
  is_cancelled: boolean
  repeats: boolean
}
export type MailFile = { name: string; mime: string; bytes: number; document_id?: string }
export type InboxView = 'da_gestire' | 'fatti' | 'inviati' | 'in_approvazione' | 'programmati'

const AT_MOST = 100
const THREADS_AT_ONCE = 50

/** Where mail is read, and how that went; null when it is not. */
export function mailInboxQuery(userId: string) {
  return queryOptions({
    queryKey: [...inboxKey(userId), 'state'],
    queryFn: async (): Promise<MailInbox | null> => {
      await currentUser()
      return unwrap(await supabase.from('mail_inboxes').select('*').maybeSingle())
    },
    refetchInterval: pollingInterval,
  })
}

/** Threads that wait for something, or are done; the latest first. */
export function mailThreadsQuery(userId: string, isDone: boolean) {
  return infiniteQueryOptions({
    queryKey: [...inboxKey(userId), 'threads', isDone],
    queryFn: async ({ pageParam }): Promise<MailThread[]> => {
      await currentUser()
      return unwrap(
        await supabase
          .from('mail_threads')
          .select('*')
          .eq('is_done', isDone)
          .order('last_at', { ascending: false })
          .order('id')
          .range(pageParam, pageParam + THREADS_AT_ONCE - 1),
      )
    },
    initialPageParam: 0,
    getNextPageParam: (page, _pages, from) => (page.length < THREADS_AT_ONCE ? undefined : from + THREADS_AT_ONCE),
    // A thread that came meanwhile pushes the last one onto the next page.
    select: (data) => [...new Map(data.pages.flat().map((thread) => [thread.id, thread])).values()],
    refetchInterval: pollingInterval,
  })
}

/** One thread, whichever list it is in; null when it is gone. */
export function oneMailThreadQuery(userId: string, threadId: string) {
  return queryOptions({
    queryKey: [...inboxKey(userId), 'one', threadId],
    queryFn: async (): Promise<MailThread | null> => {
      await currentUser()
      return unwrap(await supabase.from('mail_threads').select('*').eq('id', threadId).maybeSingle())
    },
  })
}

/** The mails of a thread, and the letters of the outbox that belong to it, oldest first. */
export function mailThreadQuery(userId: string, threadId: string) {
  return queryOptions({
    queryKey: [...inboxKey(userId), 'thread', threadId],
    queryFn: async (): Promise<{ mails: ReceivedMail[]; letters: SentLetter[] }> => {
      await currentUser()
      const [mails, letters] = await Promise.all([
        supabase.from('received_mails').select('*').eq('thread_id', threadId).order('at').limit(AT_MOST),
        supabase
          .from('mail_thread_letters')
          .select(`outgoing_mails(${LETTER})`)
          .eq('thread_id', threadId)
          .limit(AT_MOST),
      ])
      return {
        mails: unwrap(mails),
        letters: unwrap(letters).flatMap(({ outgoing_mails: letter }) => (letter ? [letter] : [])),
      }
    },
    refetchInterval: pollingInterval,
  })
}

/** A mail as it was formatted, made harmless by the server: the address of a page for a frame; null for a text. */
export function formattedMailQuery(userId: string, mailId: string, withPictures: boolean) {
  return queryOptions({
    queryKey: ['formatted_mail', userId, mailId, withPictures],
    queryFn: async () => {
      const asked = { id: mailId, with_pictures: withPictures }
      const mail = await invoke<{ html: string | null; has_hidden_pictures: boolean }>('received_mail', asked)
      const page = mail.html === null ? null : new Blob([mail.html], { type: 'text/html; charset=utf-8' })
      return { url: page && URL.createObjectURL(page), hasHiddenPictures: mail.has_hidden_pictures }
    },
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** Whether the task of an invitation or a conversation, which has the id of its mail or thread, was made. */
export function mailTaskQuery(userId: string, id: string) {
  return queryOptions({
    queryKey: [...tasksKey(userId), 'of_mail', id],
    queryFn: async () => {
      await currentUser()
      return unwrap(await supabase.from('tasks').select('id').eq('id', id)).length > 0
    },
  })
}

function useThreadChange<V, R>(userId: string, mutationFn: (value: V) => Promise<R>) {
  const client = useQueryClient()
  return useMutation({
    mutationFn,
    onSettled: () => client.invalidateQueries({ queryKey: inboxKey(userId) }),
  })
}

/** Puts a thread among those that are done, or back. */
export function useFinishThread(userId: string) {
  return useThreadChange(userId, async ({ id, isDone }: { id: string; isDone: boolean }) =>
    unwrap(await supabase.from('mail_threads').update({ is_done: isDone }).eq('id', id)),
  )
}

/** Leaves the sender of a thread out of the contacts. */
export function useIgnoreSender(userId: string) {
  return useThreadChange(userId, async (id: string) =>
    unwrap(await supabase.from('mail_threads').update({ is_sender_ignored: true }).eq('id', id)),
  )
}

/** Gives a contact another address; mails from there become the contact's. @throws DataError when it is taken */
export function useGiveAddress(userId: string) {
  const client = useQueryClient()
  return useThreadChange(userId, async ({ contactId, address }: { contactId: string; address: string }) => {
    unwrap(await supabase.from('contact_emails').insert({ contact_id: contactId, value: address }))
    await reloadContacts(client)
  })
}

/** Joins a thread with the suggested one, or says that they are two; answers the thread that stays. */
export function useDecideThread(userId: string) {
  return useThreadChange(userId, async ({ id, isSame }: { id: string; isSame: boolean }) =>
    unwrap(await supabase.rpc('decide_thread', { _thread_id: id, _is_same: isSame })),
  )
}

/** Makes a deal of a thread, once; answers the deal. */
export function useMakeDeal(userId: string) {
  const client = useQueryClient()
  return useThreadChange(userId, async (id: string) => {
    const dealId = unwrap(await supabase.rpc('make_thread_deal', { _thread_id: id }))
    await client.invalidateQueries({ queryKey: dealsKey(userId) })
    return dealId
  })
}

/** Files a mail, or one of its attachments, as a document; answers it. @throws FunctionError with the reason */
export function useFileMail(userId: string) {
  return useThreadChange(userId, async (asked: { id: string; file: number | null }) => {
    const { document_id: documentId } = await invoke<{ document_id: string }>('mail_document', asked)
    return documentId
  })
}

/** Has the mailbox read now. @throws FunctionError with the server's reason */
export function useFetchMail(userId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => invoke<object>('fetch_mail', {}),
    onSettled: () => client.invalidateQueries({ queryKey: inboxKey(userId) }),
  })
}
