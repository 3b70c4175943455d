/** notifications: what the top bar and /notifications show; a user may read, mark and delete their own. */
import type { RealtimePostgresChangesPayload } from '@supabase/supabase-js'
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import { pollingInterval, unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import type { Tables } from '@/data/tables'
import { supabase } from '@/lib/supabase'

export type Notification = Tables<'notifications'>

const KEY = ['notifications'] as const
const LIMIT = 50

async function fetchNotifications(): Promise<Notification[]> {
  await currentUser()
  return unwrap(await supabase.from('notifications').select('*').order('created_at', { ascending: false }).limit(LIMIT))
}

export function notificationsQuery(userId: string) {
  return queryOptions({
    queryKey: [...KEY, userId],
    queryFn: fetchNotifications,
    refetchInterval: pollingInterval,
  })
}

const newestFirst = (a: Notification, b: Notification) => Date.parse(b.created_at) - Date.parse(a.created_at)

/**
 * The rows after a change that the server told us about; the same one twice changes nothing. Null when only the server
 * knows what comes next: a full list that lost a row.
 */
export function applyChange(
  rows: Notification[],
  change: RealtimePostgresChangesPayload<Notification>,
): Notification[] | null {
  if (change.eventType === 'DELETE') {
    const left = rows.filter((row) => row.id !== change.old.id)
    return left.length < rows.length && rows.length === LIMIT ? null : left
  }
  const { id } = change.new
  const isKnown = rows.some((row) => row.id === id)
  // An older row, beyond the end of the list.
  if (!isKnown && change.eventType === 'UPDATE') return rows
  if (isKnown) return rows.map((row) => (row.id === id ? { ...row, ...change.new } : row))
  return [change.new, ...rows].toSorted(newestFirst).slice(0, LIMIT)
}

async function markRead(id: string): Promise<void> {
  unwrap(await supabase.from('notifications').update({ is_read: true, read_at: new Date().toISOString() }).eq('id', id))
}

async function markAllRead(): Promise<void> {
  const user = await currentUser()
  unwrap(
    await supabase
      .from('notifications')
      .update({ is_read: true, read_at: new Date().toISOString() })
      .eq('user_id', user.id)
      .eq('is_read', false),
  )
}

async function markUnread(ids: string[]): Promise<void> {
  unwrap(await supabase.from('notifications').update({ is_read: false, read_at: null }).in('id', ids))
}

async function deleteNotification(id: string): Promise<void> {
  unwrap(await supabase.from('notifications').delete().eq('id', id))
}

/**
 * What to tell the person afterwards. Given to the hook, not to `mutate`: the row that was acted on is usually gone
 * from the screen by then, and callbacks of `mutate` are dropped with their component.
 */
type Outcome<V> = { onSuccess?: (variables: V) => void; onError?: () => void }

/** A mutation whose effect shows at once and is taken back when the server refuses. */
function useOptimistic<V>(
  run: (variables: V) => Promise<void>,
  change: (rows: Notification[], variables: V) => Notification[],
  { onSuccess, onError }: Outcome<V> = {},
) {
  const client = useQueryClient()
  return useMutation({
    mutationKey: KEY,
    mutationFn: run,
    onMutate: async (variables) => {
      await client.cancelQueries({ queryKey: KEY })
      const before = client.getQueriesData<Notification[]>({ queryKey: KEY })
      client.setQueriesData<Notification[]>({ queryKey: KEY }, (rows) => rows && change(rows, variables))
      return before
    },
    onError: (_error, _variables, before) => {
      for (const [key, rows] of before ?? []) client.setQueryData(key, rows)
      onError?.()
    },
    onSuccess: (_data, variables) => onSuccess?.(variables),
    onSettled: () => client.invalidateQueries({ queryKey: KEY }),
  })
}

const asRead = (row: Notification): Notification =>
  row.is_read ? row : { ...row, is_read: true, read_at: new Date().toISOString() }

export function useMarkRead() {
  return useOptimistic(markRead, (rows, id: string) => rows.map((row) => (row.id === id ? asRead(row) : row)))
}

/** The variable is the ids that were unread on screen, by which the change can be taken back. */
export function useMarkAllRead(outcome?: Outcome<string[]>) {
  return useOptimistic<string[]>(markAllRead, (rows) => rows.map(asRead), outcome)
}

/** Takes «Segna tutte come lette» back for the rows that were unread before. */
export function useMarkUnread() {
  return useOptimistic(markUnread, (rows, ids: string[]) =>
    rows.map((row) => (ids.includes(row.id) ? { ...row, is_read: false, read_at: null } : row)),
  )
}

export function useDeleteNotification(outcome?: Outcome<string>) {
  return useOptimistic(deleteNotification, (rows, id: string) => rows.filter((row) => row.id !== id), outcome)
}
