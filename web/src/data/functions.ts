/** Calls the server's functions as the person of this browser, and turns refusals into exceptions. */
import { FunctionsHttpError } from '@supabase/supabase-js'

import { supabase } from '@/lib/supabase'

/** A function refused; `message` is for people, `code` of its closed list. */
export class FunctionError extends Error {
  override readonly name = 'FunctionError'
  readonly status: number
  readonly code: string

  constructor(status: number, answer: { code?: string; message?: string }, cause: unknown) {
    super(answer.message ?? `the function answered ${status}`, { cause })
    this.status = status
    this.code = answer.code ?? 'unexpected_failure'
  }
}

/** Calls a function of ours. @throws FunctionError when the server refused, and others when it could not be reached. */
export async function invoke<T>(name: string, body: object): Promise<T> {
  const { data, error } = await supabase.functions.invoke<T>(name, { body })
  if (error instanceof FunctionsHttpError) {
    const response = error.context as Response
    throw new FunctionError(response.status, await response.json().catch(() => ({})), error)
  }
  if (error) throw error
  if (data === null) throw new Error(`${name} answered nothing`)
  return data
}
