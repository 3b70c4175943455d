/** Turns PostgREST's `{ data, error }` answers into values and exceptions. */
import type { PostgrestError, PostgrestSingleResponse } from '@supabase/supabase-js'

import { isLive } from '@/lib/live'

/** A refused or failed call; `status` is 0 when no answer came at all. */
export class DataError extends Error {
  override readonly name = 'DataError'
  readonly status: number
  readonly code: string
  /** What a function of ours adds to its refusal, such as the id of a row. */
  readonly details: string

  constructor(error: PostgrestError, status: number) {
    super(error.message, { cause: error })
    this.status = status
    this.code = error.code
    this.details = error.details
  }
}

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
 * How often a polled query asks again: every 30 s (spec section 9), sooner while the server is away, and seldom while
 * changes arrive by themselves.
 */
export function pollingInterval(query: { state: { status: string } }): number {
  if (query.state.status === 'error') return 5_000
  return isLive() ? 5 * 60_000 : 30_000
}
