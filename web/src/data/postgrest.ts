/** Turns PostgREST's `{ data, error }` answers into values and exceptions. */
import type { PostgrestSingleResponse } from '@supabase/supabase-js'

import { isLive } from '@/lib/live'
import { DataError } from '@/lib/server-errors'

/** @throws DataError when the server refused or did not answer. */
export function unwrap<T>(answer: PostgrestSingleResponse<T>): T {
  if (answer.error) throw new DataError(answer.error, answer.status)
  return answer.data
}

const UNIQUE_VIOLATION = '23505'

/**
 * Inserts a row under an id that was chosen here. Where an earlier attempt came through, and only its answer was lost,
 * the row is there already: then it is changed to what is wanted now.
 */
export async function insertOnce(
  insert: () => PromiseLike<PostgrestSingleResponse<null>>,
  change: () => PromiseLike<PostgrestSingleResponse<null>>,
): Promise<void> {
  const answer = await insert()
  unwrap(answer.error?.code === UNIQUE_VIOLATION ? await change() : answer)
}

/**
 * How often a polled query asks again: every 30 s (LEDGER-13), sooner while the server is away, and seldom while
 * changes arrive by themselves.
 */
export function pollingInterval(query: { state: { status: string } }): number {
  if (query.state.status === 'error') return 5_000
  return isLive() ? 5 * 60_000 : 30_000
}
