/** Sends what the outbox keeps: in order, one tab at a time, each entry until the server took or refused it. */
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'

import { reloadContacts } from '@/data/contacts'
import {
  changeOutbox,
  nextToSend,
  outboxChannel,
  type OutboxEntry,
  outboxQuery,
  readOutbox,
  type Refusal,
  reloadOutbox,
  withOutboxLock,
} from '@/data/outbox'
import { unwrap } from '@/data/postgrest'
import { isSessionRefused, renewSession } from '@/data/session'
import { completeTask, insertTasks, refreshTasks, reopenTask } from '@/data/task-changes'
import { isReachable, subscribe } from '@/lib/connection'
import { DataError } from '@/lib/server-errors'
import { supabase } from '@/lib/supabase'

/** Somebody else did the same meanwhile. */
class DoneElsewhere extends Error {
  override readonly name = 'DoneElsewhere'
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super(refusal)
    this.refusal = refusal
  }
}

/** After the first attempt nobody can tell one's own change from somebody else's: the call then changes nothing. */
async function tick(userId: string, entry: OutboxEntry & { kind: 'complete' | 'reopen' }): Promise<void> {
  const wants = entry.kind === 'complete'
  if (!entry.isTried) {
    const task = unwrap(await supabase.from('tasks').select('state').eq('id', entry.taskId).maybeSingle().retry(false))
    if (task && (task.state === 'fatto') === wants) throw new DoneElsewhere(wants ? 'done' : 'open')
    await changeOutbox(userId, (entries) =>
      entries.map((each) => (each.id === entry.id ? { ...each, isTried: true } : each)),
    )
  }
  await (wants ? completeTask : reopenTask)(entry.taskId)
}

/** Rows name their owner: with the session of somebody else the database refuses them. */
async function send(userId: string, entry: OutboxEntry): Promise<void> {
  switch (entry.kind) {
    case 'add':
      await insertTasks(entry.rows.map((row) => ({ ...row, user_id: userId })))
      return
    case 'note': {
      const note = { id: entry.id, user_id: userId, contact_id: entry.contactId, body: entry.body }
      unwrap(await supabase.from('notes').upsert(note, { ignoreDuplicates: true }))
      return
    }
    case 'complete':
    case 'reopen':
      await tick(userId, entry)
  }
}

const AGAIN_MS = 30_000
const PASSING = new Set([0, 408, 429])

/** Whether the same call may be taken a little later. */
const isPassing = (error: unknown): boolean =>
  error instanceof DataError ? PASSING.has(error.status) || error.status > 500 : !(error instanceof DoneElsewhere)

const FOREIGN_KEY_VIOLATION = '23503'
const NO_PRIVILEGE = '42501'

function refusalOf(error: unknown): Refusal {
  if (error instanceof DoneElsewhere) return error.refusal
  if (!(error instanceof DataError)) return 'failed'
  const { status, code } = error
  if (status === 404 || code === FOREIGN_KEY_VIOLATION) return 'gone'
  if (status === 403 || code === NO_PRIVILEGE) return 'forbidden'
  // Classes of SQLSTATE: data exception, integrity constraint violation.
  return /^2[23]/.test(code) ? 'invalid' : 'failed'
}

/** False also when the session ran out and cannot be renewed now: what is kept waits for its person. */
async function isSignedIn(userId: string): Promise<boolean> {
  const { data } = await supabase.auth.getSession()
  return data.session?.user.id === userId
}

/** Sends one entry. Answers whether the next one may be tried. */
async function sendOne(userId: string, entry: OutboxEntry): Promise<boolean> {
  try {
    await send(userId, entry)
    await changeOutbox(userId, (entries) => entries.filter(({ id }) => id !== entry.id))
    return true
  } catch (error) {
    if (error instanceof DataError && isSessionRefused(error)) {
      void renewSession()
      return false
    }
    // A refusal of somebody else's session says nothing about the entry.
    if (isPassing(error) || !(await isSignedIn(userId))) return false
    const refusal = refusalOf(error)
    await changeOutbox(userId, (entries) => entries.map((each) => (each.id === entry.id ? { ...each, refusal } : each)))
    return true
  }
}

async function sendAll(userId: string): Promise<boolean> {
  let hasSent = false
  for (;;) {
    // One after the other, each read again: the order is that of the person.
    // oxlint-disable no-await-in-loop
    const entry = nextToSend(await readOutbox(userId))
    if (!entry || !(await isSignedIn(userId)) || !(await sendOne(userId, entry))) return hasSent
    // oxlint-enable no-await-in-loop
    hasSent = true
  }
}

/** Sends what can be sent now, and shows what became of it. */
export async function sendOutbox(client: QueryClient, userId: string): Promise<void> {
  const entries = await client.ensureQueryData(outboxQuery(userId))
  if (!nextToSend(entries)) return
  const hasSent = await withOutboxLock(userId, () => sendAll(userId))
  // The lists first: what was sent would be missing between the outbox and them.
  if (hasSent) await Promise.all([refreshTasks(client, userId), reloadContacts(client)])
  await reloadOutbox(client, userId)
}

/** Keeps sending while it is mounted: at the start, with the network, when the tab is looked at, after each change. */
export function useOutboxSending(userId: string): OutboxEntry[] {
  const client = useQueryClient()
  const { data: entries } = useQuery(outboxQuery(userId))

  useEffect(() => {
    const wake = () => void (navigator.onLine && sendOutbox(client, userId))
    const channel = outboxChannel(userId)
    channel.addEventListener('message', () => void reloadOutbox(client, userId))
    window.addEventListener('online', wake)
    document.addEventListener('visibilitychange', wake)
    const stop = subscribe(() => isReachable() && wake())
    return () => {
      channel.close()
      window.removeEventListener('online', wake)
      document.removeEventListener('visibilitychange', wake)
      stop()
    }
  }, [client, userId])

  useEffect(() => {
    const wake = () => void (navigator.onLine && sendOutbox(client, userId))
    if (!entries || !nextToSend(entries)) return undefined
    wake()
    // After a limit or a session that had to be renewed no event says when to try again.
    const timer = window.setInterval(wake, AGAIN_MS)
    return () => window.clearInterval(timer)
  }, [client, userId, entries])

  return entries ?? []
}
