/** Turns the answers of the auth service into values and exceptions, for auth-js's methods and for what it lacks. */
import { AuthApiError, AuthRetryableFetchError } from '@supabase/supabase-js'

import { clientConfig } from '@/lib/config'
import { watchedFetch } from '@/lib/connection'
import { supabase } from '@/lib/supabase'

/** @throws AuthError (or WebAuthnError) when the service, or the person at the authenticator, refused. */
export function done({ error }: { error: Error | null }): void {
  if (error) throw error
}

type Answer = { data: unknown; error: Error | null }

/** The data of `answer`. @throws as `done`. */
export function accepted<A extends Answer>(answer: A): Extract<A, { error: null }>['data'] {
  done(answer)
  return answer.data
}

type Refusal = { code?: string; message?: string }

/**
 * One call as the person of this browser, for endpoints that auth-js has no method for.
 *
 * @throws AuthApiError when the service refused, AuthRetryableFetchError when it did not answer.
 */
export async function callAuth<T>(method: 'GET' | 'DELETE', path: string): Promise<T> {
  const { supabaseUrl, publishableKey } = clientConfig()
  const { data } = await supabase.auth.getSession()
  let response: Response
  try {
    response = await watchedFetch(`${supabaseUrl}/auth/v1${path}`, {
      method,
      headers: {
        apikey: publishableKey,
        'X-Supabase-Api-Version': '2024-01-01',
        ...(data.session && { Authorization: `Bearer ${data.session.access_token}` }),
      },
    })
  } catch (error) {
    throw new AuthRetryableFetchError(error instanceof Error ? error.message : '', 0)
  }
  // 204 has no body, and a proxy's own error page is not JSON.
  const body = (await response.json().catch(() => null)) as unknown
  if (!response.ok) {
    const { message = '', code } = (body ?? {}) as Refusal
    throw new AuthApiError(message, response.status, code)
  }
  return body as T
}
