/**
 * The documents being read, and those of this visit that were: how far each is, and what can be done about it.
 *
 * What was once seen at work stays in the queue until it is put away, so that its end is seen too.
 */
import { type QueryClient, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import {
  BUSY,
  COLUMNS,
  isBusy,
  type ListedDocument,
  NUMBER,
  patchDocument,
  queueKey,
  reloadDocuments,
} from '@/data/documents'
import { invoke } from '@/data/functions'
import { pollingInterval, unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import type { Enums } from '@/data/tables'
import { isLive } from '@/lib/live'
import { supabase } from '@/lib/supabase'

type State = Enums<'document_state'>
type Answer = { id: string; state: State }

const AT_MOST = 300
/** What fits into the address of a request. */
const WATCHED_AT_MOST = 100
/** How often the queue is asked for while something is being read: seldom when changes arrive by themselves. */
const BUSY_POLL_MS = 2_000
const LIVE_POLL_MS = 20_000

/** Of all people of this browser: the server shows each only their own. */
const watched = new Set<string>()

async function fetchQueue(): Promise<ListedDocument[]> {
  await currentUser()
  const seen = [...watched].slice(-WATCHED_AT_MOST)
  const states = `state.in.(${BUSY.join(',')})`
  const rows = unwrap(
    await supabase
      .from('documents')
      .select(COLUMNS)
      .eq('numbers.key', NUMBER)
      .is('deleted_at', null)
      .or(seen.length > 0 ? `${states},id.in.(${seen.join(',')})` : states)
      .order('created_at')
      .order('id')
      .limit(AT_MOST),
  )
  for (const { id, state } of rows) if (isBusy(state)) watched.add(id)
  return rows
}

/** The oldest first, as they are read. */
export function queueQuery(userId: string) {
  return queryOptions({
    queryKey: queueKey(userId),
    queryFn: fetchQueue,
    refetchInterval: (query) => {
      if (!query.state.data?.some(({ state }) => isBusy(state))) return pollingInterval(query)
      return isLive() ? LIVE_POLL_MS : BUSY_POLL_MS
    },
  })
}

/** Takes documents off the queue; they stay in the list. */
export function putAway(client: QueryClient, userId: string, ids: readonly string[]): void {
  const gone = new Set(ids)
  for (const id of ids) watched.delete(id)
  client.setQueryData<ListedDocument[]>(queueKey(userId), (rows) => rows?.filter(({ id }) => !gone.has(id)))
}

/** Has a file that has arrived read, and answers its id; the same one twice is read once. @throws FunctionError and others */
export async function readDocument(path: string, filename: string): Promise<string> {
  const { id } = await invoke<Answer>('read_document', { path, filename })
  watched.add(id)
  return id
}

type Wish = { id: string; action: 'retry' | 'cancel' }

/** Stops the reading of a document, or begins it anew. */
export function useReading(userId: string, onError: (wish: Wish) => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ id, action }: Wish) => invoke<Answer>('read_document', { document_id: id, action }),
    onSuccess: ({ id, state }) => {
      watched.add(id)
      patchDocument(client, userId, { id, state })
    },
    onError: (_error, wish) => onError(wish),
    onSettled: () => reloadDocuments(client, userId),
  })
}
