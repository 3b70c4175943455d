/**
 * Notifications, balance, contacts, documents, tasks and projects as they change, over one channel of the signed-in
 * person; polling stays as the fallback.
 *
 * No silent gap: whenever the channel stands (again), and when it is lost for good, everything is asked for once. A
 * change that arrives while an answer is under way might be older or newer than it, so the answer is asked for again.
 */
import type { RealtimePostgresChangesPayload } from '@supabase/supabase-js'
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'

import { type Message, chatKey, conversationsKey, messagesKey, toolCallsKey } from '@/data/chat'
import { contactsKey } from '@/data/contacts-key'
import { creditsKey } from '@/data/credits'
import { dealsKey } from '@/data/deals'
import { changesLists, patchDocument } from '@/data/documents'
import { documentsKey } from '@/data/documents-key'
import { draftsKey } from '@/data/drafts'
import { goalsKey } from '@/data/goals-key'
import { homeKey } from '@/data/home-key'
import { importsKey } from '@/data/imports'
import { inboxKey } from '@/data/inbox-key'
import { memoriesKey } from '@/data/memories'
import {
  applyChange,
  type Notification,
  notificationPagesKey,
  notificationsKey,
  notificationsQuery,
} from '@/data/notifications'
import { projectsKey } from '@/data/projects'
import type { Tables } from '@/data/tables'
import { tasksKey } from '@/data/tasks'
import { balanceQuery } from '@/data/wallet'
import { whatsappKey } from '@/data/whatsapp-key'
import { clientConfig } from '@/lib/config'
import { setLive } from '@/lib/live'
import { supabase } from '@/lib/supabase'

/** A restart is over by then; the spread keeps thousands of clients from asking in the same second. */
const graceMs = () => 5_000 + Math.random() * 5_000
/** An import changes hundreds of rows, a ZIP brings hundreds of documents: they are asked for once after them. */
const GATHER_MS = 500
/** The home is one answer for all changes: the first waits for those of its transaction only, and many ask seldom. */
const HOME_MS = 50
const BUSY_HOME_MS = 400
/** A tab that nobody looks at for so long gives its connection back. */
const HIDDEN_MS = 5 * 60_000

type Change<T extends { [key: string]: unknown }> = RealtimePostgresChangesPayload<T>
type Wallet = Tables<'credit_wallets'>
type Document = Tables<'documents'>

let channels = 0

/** Follows the changes of `userId` into the cache of `client` until the returned function is called. */
function follow(userId: string, client: QueryClient): () => void {
  const notifications = notificationsQuery(userId).queryKey
  const balance = balanceQuery(userId).queryKey
  const credits = creditsKey(userId)
  const tasks = tasksKey(userId)
  const deals = dealsKey(userId)
  const projects = projectsKey(userId)
  const wanted = { schema: 'public', filter: `user_id=eq.${userId}` } as const
  let isOver = false
  let timer: number | undefined
  let gathering: number | undefined
  let gatheringDocuments: number | undefined
  let gatheringHome: number | undefined
  let gatheringMail: number | undefined
  let homeAskedAt = 0
  let leave: (() => void) | undefined

  const refetch = () => {
    // The newest come with the balance. An answer that is under way may be too old.
    const isAsking = client.isFetching({ queryKey: notifications, exact: true }) > 0
    void client.invalidateQueries({ queryKey: isAsking ? notificationsKey(userId) : notificationPagesKey(userId) })
    void client.invalidateQueries({ queryKey: balance })
    void client.invalidateQueries({ queryKey: credits })
    void client.invalidateQueries({ queryKey: contactsKey })
    void client.invalidateQueries({ queryKey: tasks })
    void client.invalidateQueries({ queryKey: projects })
    void client.invalidateQueries({ queryKey: deals })
    void client.invalidateQueries({ queryKey: documentsKey(userId) })
    void client.invalidateQueries({ queryKey: chatKey(userId) })
    void client.invalidateQueries({ queryKey: homeKey(userId) })
    void client.invalidateQueries({ queryKey: inboxKey(userId) })
    onWhatsapp()
    onDraft()
    onMemory()
    onImport()
    onGoal()
  }

  function onGoal() {
    void client.invalidateQueries({ queryKey: goalsKey(userId) })
  }

  function onImport() {
    void client.invalidateQueries({ queryKey: importsKey })
  }

  /**
   * A change of our own is on the screen already, and asks again by itself. What comes while it is asking may be newer
   * than the answer under way.
   */
  function isAwaited(mutation: string, queryKey: readonly string[]): boolean {
    return client.isMutating({ mutationKey: [mutation] }) > 0 && client.isFetching({ queryKey }) === 0
  }

  function onNotification(change: Change<Notification>) {
    const all = notificationsKey(userId)
    const rows = client.getQueryData(notifications)
    if (isAwaited('notifications', all)) return
    const isAsking = [notifications, balance].some((queryKey) => client.isFetching({ queryKey, exact: true }) > 0)
    const isUncertain = isAsking || change.errors?.length
    const next = rows && !isUncertain ? applyChange(rows, change) : null
    if (next) client.setQueryData(notifications, next)
    void client.invalidateQueries({ queryKey: next ? notificationPagesKey(userId) : all })
  }

  function onWallet(change: Change<Wallet>) {
    onHome()
    const isUncertain = client.isFetching({ queryKey: balance }) > 0 || change.errors?.length
    if (change.eventType === 'UPDATE' && !isUncertain) client.setQueryData(balance, Number(change.new.balance))
    else void client.invalidateQueries({ queryKey: balance })
    // The wallet never changes without a line of the statement or a hold.
    void client.invalidateQueries({ queryKey: credits })
  }

  // Whatever changes, the home may show it.
  function onHome() {
    const wait = Date.now() - homeAskedAt < 3 * BUSY_HOME_MS ? BUSY_HOME_MS : HOME_MS
    gatheringHome ??= window.setTimeout(() => {
      gatheringHome = undefined
      homeAskedAt = Date.now()
      void client.invalidateQueries({ queryKey: homeKey(userId) })
    }, wait)
  }

  function onContact() {
    onHome()
    gathering ??= window.setTimeout(() => {
      gathering = undefined
      void client.invalidateQueries({ queryKey: contactsKey })
    }, GATHER_MS)
  }

  // The first reading of a mailbox brings a year of mails.
  function onMail() {
    onHome()
    gatheringMail ??= window.setTimeout(() => {
      gatheringMail = undefined
      void client.invalidateQueries({ queryKey: inboxKey(userId) })
    }, GATHER_MS)
  }

  function onLetter() {
    onContact()
    onMail()
  }

  function onWhatsapp() {
    void client.invalidateQueries({ queryKey: whatsappKey(userId) })
  }

  // Projects count their tasks.
  function onTask() {
    onHome()
    if (isAwaited('tasks', tasks)) return
    void client.invalidateQueries({ queryKey: tasks })
    void client.invalidateQueries({ queryKey: projects })
  }

  function onDeal() {
    onHome()
    if (!isAwaited('deals', deals)) void client.invalidateQueries({ queryKey: deals })
  }

  // Each page that is read is a change: progress is shown from the row itself, and only its end asks for the list.
  function onDocument(change: Change<Document>) {
    if (change.eventType === 'UPDATE' && !change.errors?.length) {
      const before = patchDocument(client, userId, change.new)
      if (before && !changesLists(before, change.new)) return
    }
    onDocuments()
  }

  function onDocuments() {
    onHome()
    gatheringDocuments ??= window.setTimeout(() => {
      gatheringDocuments = undefined
      void client.invalidateQueries({ queryKey: documentsKey(userId) })
    }, GATHER_MS)
  }

  // What this tab hears of an answer is newer than its row, which the end of the answer brings.
  function onMessage(change: Change<Pick<Message, 'conversation_id'>>) {
    const id = 'conversation_id' in change.new ? change.new.conversation_id : null
    void client.invalidateQueries({ queryKey: id ? messagesKey(userId, id) : chatKey(userId) })
  }

  function onToolCall(change: Change<Pick<Message, 'conversation_id'>>) {
    if ('conversation_id' in change.new) {
      void client.invalidateQueries({ queryKey: toolCallsKey(userId, change.new.conversation_id) })
    }
  }

  function onConversation() {
    void client.invalidateQueries({ queryKey: conversationsKey(userId) })
    void client.invalidateQueries({ queryKey: [...chatKey(userId), 'conversation'] })
  }

  function onDraft() {
    void client.invalidateQueries({ queryKey: draftsKey(userId) })
  }

  function onMemory() {
    void client.invalidateQueries({ queryKey: memoriesKey(userId) })
  }

  function giveUpAfterGrace() {
    timer ??= window.setTimeout(() => {
      setLive('lost')
      refetch()
    }, graceMs())
  }

  function join() {
    channels += 1
    const channel = supabase
      .channel(`own-${userId}-${channels}`, { config: { postgres_changes_options: { wait: true } } })
      .on<Notification>('postgres_changes', { event: '*', table: 'notifications', ...wanted }, onNotification)
      .on<Wallet>('postgres_changes', { event: '*', table: 'credit_wallets', ...wanted }, onWallet)
      .on('postgres_changes', { event: '*', table: 'contacts', ...wanted }, onContact)
      .on('postgres_changes', { event: '*', table: 'contact_tags', ...wanted }, onContact)
      .on('postgres_changes', { event: '*', table: 'notes', ...wanted }, onContact)
      .on('postgres_changes', { event: '*', table: 'interactions', ...wanted }, onContact)
      .on('postgres_changes', { event: '*', table: 'outgoing_mails', ...wanted }, onLetter)
      .on('postgres_changes', { event: '*', table: 'mail_threads', ...wanted }, onMail)
      .on('postgres_changes', { event: '*', table: 'contact_channels', ...wanted }, onWhatsapp)
      .on('postgres_changes', { event: '*', table: 'whatsapp_messages', ...wanted }, onWhatsapp)
      .on('postgres_changes', { event: '*', table: 'consents', ...wanted }, onContact)
      .on('postgres_changes', { event: '*', table: 'goals', ...wanted }, onGoal)
      .on('postgres_changes', { event: '*', table: 'goal_steps', ...wanted }, onGoal)
      .on('postgres_changes', { event: '*', table: 'import_batches', ...wanted }, onImport)
      .on('postgres_changes', { event: '*', table: 'tasks', ...wanted }, onTask)
      .on('postgres_changes', { event: '*', table: 'projects', ...wanted }, onTask)
      .on('postgres_changes', { event: '*', table: 'deals', ...wanted }, onDeal)
      .on<Document>('postgres_changes', { event: '*', table: 'documents', ...wanted }, onDocument)
      .on('postgres_changes', { event: '*', table: 'document_tags', ...wanted }, onDocuments)
      .on('postgres_changes', { event: '*', table: 'invoices', ...wanted }, onDocuments)
      .on('postgres_changes', { event: '*', table: 'invoice_schedules', ...wanted }, onDocuments)
      .on('postgres_changes', { event: '*', table: 'insights', ...wanted }, onHome)
      .on('postgres_changes', { event: '*', table: 'conversations', ...wanted }, onConversation)
      .on<Message>('postgres_changes', { event: '*', table: 'messages', ...wanted }, onMessage)
      .on<Message>('postgres_changes', { event: '*', table: 'tool_calls', ...wanted }, onToolCall)
      .on('postgres_changes', { event: '*', table: 'drafts', ...wanted }, onDraft)
      .on('postgres_changes', { event: '*', table: 'memories', ...wanted }, onMemory)
      .subscribe((status) => {
        if (isOver) return
        if (status === 'SUBSCRIBED') {
          window.clearTimeout(timer)
          timer = undefined
          setLive('live')
          refetch()
        } else {
          giveUpAfterGrace()
          // The library joins again by itself after an error, never after the server has closed the channel.
          if (status === 'CLOSED') window.setTimeout(() => !isOver && (leave = join()), graceMs())
        }
      })
    return () => void supabase.removeChannel(channel)
  }

  async function start() {
    // The first join must already carry the token.
    await supabase.realtime.setAuth()
    if (!isOver) leave = join()
  }

  setLive('joining')
  giveUpAfterGrace()
  void start()
  return () => {
    isOver = true
    window.clearTimeout(timer)
    window.clearTimeout(gathering)
    window.clearTimeout(gatheringDocuments)
    window.clearTimeout(gatheringHome)
    window.clearTimeout(gatheringMail)
    setLive('off')
    leave?.()
  }
}

/** Keeps the cache of the signed-in person up to date by realtime, where the server has it. */
export function useLiveUpdates(userId: string): void {
  const client = useQueryClient()
  useEffect(() => {
    if (!clientConfig().realtime) return undefined
    let stop: (() => void) | null = follow(userId, client)
    let timer: number | undefined

    function onVisibility() {
      window.clearTimeout(timer)
      if (document.visibilityState === 'visible') {
        stop ??= follow(userId, client)
      } else {
        timer = window.setTimeout(() => {
          stop?.()
          stop = null
        }, HIDDEN_MS)
      }
    }
    document.addEventListener('visibilitychange', onVisibility)
    return () => {
      document.removeEventListener('visibilitychange', onVisibility)
      window.clearTimeout(timer)
      stop?.()
    }
  }, [userId, client])
}
