/** The exceptions for calls that the server refused or did not answer. */
import type { PostgrestError } from '@supabase/supabase-js'

/** A refused or failed call; `status` is 0 when no answer came at all. */
export class DataError extends Error {
  override readonly name = 'DataError'
  readonly status: number
  readonly code: string
  /** What an SQL function adds to its refusal, such as the id of a row. */
  readonly details: string

  constructor(error: PostgrestError, status: number) {
    super(error.message, { cause: error })
    this.status = status
    this.code = error.code
    this.details = error.details
  }
}

/** A refusal of one of our functions: `message` is for people, `code` comes from its closed list. */
export class FunctionError extends Error {
  override readonly name = 'FunctionError'
  readonly status: number
  readonly code: string
  /** What the function adds to its refusal, such as the names of the wrong fields. */
  readonly details: Record<string, unknown>

  constructor(
    status: number,
    answer: { code?: string; message?: string; details?: Record<string, unknown> },
    cause: unknown,
  ) {
    super(answer.message ?? `the function answered ${status}`, { cause })
    this.status = status
    this.code = answer.code ?? 'unexpected_failure'
    this.details = answer.details ?? {}
  }
}
