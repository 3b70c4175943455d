/** notifications: what the top bar and /notifications show; a user may read, mark and delete their own. */
import type { RealtimePostgresChangesPayload } from '@supabase/supabase-js'
import {
  infiniteQueryOptions,
  type InfiniteData,
  type QueryClient,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query'

import { inChunks } from '@/data/chunks'
import type { NotificationCategory } from '@/data/notification-settings'
import { pollingInterval, unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import type { Tables } from '@/data/tables'
import { supabase } from '@/lib/supabase'

export type Notification = Tables<'notifications'>

/** Which of them a list shows. */
export type NotificationView = 'tutte' | 'non-lette' | NotificationCategory

const KEY = ['notifications'] as const
export const LIMIT = 50

export const notificationsKey = (userId: string) => [...KEY, userId] as const
export const notificationPagesKey = (userId: string) => [...notificationsKey(userId), 'pages'] as const

async function fetchNotifications(): Promise<Notification[]> {
  await currentUser()
  return unwrap(await supabase.from('notifications').select('*').order('created_at', { ascending: false }).limit(LIMIT))
}

/** The newest fifty, for the bell and for home; from then on they come with the balance (data/wallet). */
export function notificationsQuery(userId: string) {
  return queryOptions({ queryKey: [...notificationsKey(userId), 'newest'], queryFn: fetchNotifications })
}

/** Keeps an answer of the server, unless something newer is known than when it was asked for. */
export function keepNewest(client: QueryClient, userId: string, rows: Notification[], askedAt: number): void {
  const { queryKey } = notificationsQuery(userId)
  const known = client.getQueryState(queryKey)
  if (known && known.fetchStatus === 'idle' && known.dataUpdatedAt < askedAt) client.setQueryData(queryKey, rows)
}

function inView(view: NotificationView) {
  const all = supabase.from('notifications').select('*')
  if (view === 'tutte') return all
  return view === 'non-lette' ? all.eq('is_read', false) : all.eq('category', view)
}

async function fetchPage(view: NotificationView, last: Notification | null): Promise<Notification[]> {
  await currentUser()
  const query = inView(view).order('created_at', { ascending: false }).order('id', { ascending: false }).limit(LIMIT)
  if (!last) return unwrap(await query)
  const at = last.created_at
  // Said twice: the index begins where `lte` says, and `or` alone would read it from its beginning.
  return unwrap(
    await query.lte('created_at', at).or(`created_at.lt."${at}",and(created_at.eq."${at}",id.lt.${last.id})`),
  )
}

/** All of them, the newest first, fifty at a time. */
export function notificationPagesQuery(userId: string, view: NotificationView) {
  return infiniteQueryOptions({
    queryKey: [...notificationPagesKey(userId), view],
    queryFn: ({ pageParam }) => fetchPage(view, pageParam),
    initialPageParam: null as Notification | null,
    getNextPageParam: (page: Notification[]) => (page.length < LIMIT ? null : (page.at(-1) ?? null)),
    select: (data) => data.pages.flat(),
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

async function markRead(ids: readonly string[]): Promise<void> {
  const change = { is_read: true, read_at: new Date().toISOString() }
  await inChunks(ids, async (some) => {
    unwrap(await supabase.from('notifications').update(change).in('id', some))
    return []
  })
}

async function markAllRead(at: string): Promise<void> {
  const user = await currentUser()
  unwrap(
    await supabase
      .from('notifications')
      .update({ is_read: true, read_at: at })
      .eq('user_id', user.id)
      .eq('is_read', false),
  )
}

async function markUnread(at: string): Promise<void> {
  const user = await currentUser()
  unwrap(
    await supabase
      .from('notifications')
      .update({ is_read: false, read_at: null })
      .eq('user_id', user.id)
      .eq('read_at', at),
  )
}

async function deleteNotifications(ids: readonly string[]): Promise<void> {
  await inChunks(ids, async (some) => {
    unwrap(await supabase.from('notifications').delete().in('id', some))
    return []
  })
}

/**
 * What to tell the person afterwards. Given to the hook, not to `mutate`: the row that was acted on is usually gone
 * from the screen by then, and callbacks of `mutate` are dropped with their component.
 */
type Outcome<V> = { onSuccess?: (variables: V) => void; onError?: () => void }

/** The newest ones, or the pages of a list. */
type Cached = Notification[] | InfiniteData<Notification[]>

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
      const before = client.getQueriesData<Cached>({ queryKey: KEY })
      const changed = (rows: Notification[]) => change(rows, variables)
      client.setQueriesData<Cached>({ queryKey: KEY }, (data) =>
        Array.isArray(data) ? changed(data) : data && { ...data, pages: data.pages.map(changed) },
      )
      return before
    },
    onError: (_error, _variables, before) => {
      for (const [key, rows] of before ?? []) client.setQueryData(key, rows)
      onError?.()
    },
    onSuccess: (_data, variables) => onSuccess?.(variables),
    // While another change is under way its answer would show the state before that change.
    onSettled: () =>
      client.isMutating({ mutationKey: KEY }) === 1 ? client.invalidateQueries({ queryKey: KEY }) : undefined,
  })
}

const asRead = (row: Notification, at = new Date().toISOString()): Notification =>
  row.is_read ? row : { ...row, is_read: true, read_at: at }

export function useMarkRead() {
  return useOptimistic(markRead, (rows, ids: readonly string[]) =>
    rows.map((row) => (ids.includes(row.id) ? asRead(row) : row)),
  )
}

/** The variable is the time of reading, by which the change can be taken back. */
export function useMarkAllRead(outcome?: Outcome<string>) {
  return useOptimistic(markAllRead, (rows, at: string) => rows.map((row) => asRead(row, at)), outcome)
}

/** Takes «Segna tutte come lette» back for all that were read at that time, loaded here or not. */
export function useMarkUnread(outcome?: Outcome<string>) {
  return useOptimistic(
    markUnread,
    (rows, at: string) =>
      // The server writes the same time in another way.
      rows.map((row) =>
        Date.parse(row.read_at ?? '') === Date.parse(at) ? { ...row, is_read: false, read_at: null } : row,
      ),
    outcome,
  )
}

export function useDeleteNotifications(outcome?: Outcome<readonly string[]>) {
  return useOptimistic(
    deleteNotifications,
    (rows, ids: readonly string[]) => rows.filter(({ id }) => !ids.includes(id)),
    outcome,
  )
}

/** «Annulla» of a deletion, for a day. */
export function useRestoreNotifications(outcome?: Outcome<readonly string[]>) {
  return useOptimistic(
    async (ids: readonly string[]) => {
      unwrap(await supabase.rpc('restore_notifications', { _ids: [...ids] }))
    },
    (rows) => rows,
    outcome,
  )
}
