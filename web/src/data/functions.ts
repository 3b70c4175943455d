/** Calls the server's functions as the person of this browser, and turns refusals into exceptions. */
import { FunctionsHttpError } from '@supabase/supabase-js'

import { FunctionError } from '@/lib/server-errors'
import { supabase } from '@/lib/supabase'

/** What a function refused with, of the closed list; anything else as it is. */
export async function refusalOf(error: unknown): Promise<unknown> {
  if (!(error instanceof FunctionsHttpError)) return error
  const response = error.context as Response
  try {
    return new FunctionError(response.status, await response.json(), error)
  } catch {
    return new FunctionError(response.status, {}, error)
  }
}

/** Calls a function of ours. @throws FunctionError when the server refused, and others when it could not be reached. */
export async function invoke<T>(name: string, body: object, method: 'POST' | 'PUT' = 'POST'): Promise<T> {
  const { data, error } = await supabase.functions.invoke<T>(name, { method, body })
  if (error) throw await refusalOf(error)
  if (data === null) throw new Error(`${name} answered nothing`)
  return data
}

/** Asks a function of ours for what it has to say. @throws as `invoke` */
export const read = <T>(name: string): Promise<T> => call<T>(name, 'GET')

/** Has a function of ours take something back. @throws as `invoke` */
export const remove = <T>(name: string): Promise<T> => call<T>(name, 'DELETE')

async function call<T>(name: string, method: 'GET' | 'DELETE'): Promise<T> {
  const { data, error } = await supabase.functions.invoke<T>(name, { method })
  if (error) throw await refusalOf(error)
  if (data === null) throw new Error(`${name} answered nothing`)
  return data
}

/** Opens an answer that comes piece by piece; null when there is none (204). @throws as `invoke` */
export async function openStream(
  name: string,
  options: { method: 'GET' | 'POST'; body?: object; headers?: Record<string, string>; signal: AbortSignal },
): Promise<ReadableStream<Uint8Array<ArrayBuffer>> | null> {
  const { data, error } = await supabase.functions.invoke<unknown>(name, options)
  if (error) throw await refusalOf(error)
  return data instanceof Response ? data.body : null
}
