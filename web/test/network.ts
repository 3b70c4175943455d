/** The network edge of the unit tests: the real supabase-js client talks to these answers. */
import { vi } from 'vitest'

type Answer = { status?: number; body?: unknown; headers?: Record<string, string> }
export type Call = { method: string; path: string; body: unknown }

/** Answers every request by `handler`, which gets method, path with query, and parsed body; returns the calls so far. */
export function answerWith(handler: (call: Call) => Answer): Call[] {
  const calls: Call[] = []
  vi.stubGlobal('fetch', async (input: string | URL | Request, init: RequestInit = {}) => {
    const url = new URL(input instanceof Request ? input.url : input)
    const call: Call = {
      method: init.method ?? 'GET',
      path: decodeURIComponent(url.pathname + url.search),
      body: typeof init.body === 'string' ? JSON.parse(init.body) : undefined,
    }
    calls.push(call)
    const { status = 200, body = null, headers = {} } = handler(call)
    return new Response(status === 204 ? null : JSON.stringify(body), {
      status,
      // By this version auth-js knows the shape of an error.
      headers: { 'content-type': 'application/json', 'x-supabase-api-version': '2024-01-01', ...headers },
    })
  })
  return calls
}

const part = (value: object): string => btoa(JSON.stringify(value)).replaceAll('=', '')

/** A session as the auth service answers it. */
export function makeSession(userId = 'user-1') {
  const expiresAt = Math.floor(Date.now() / 1000) + 3600
  return {
    access_token: `${part({ alg: 'RS256' })}.${part({ sub: userId, exp: expiresAt })}.c2lnbg`,
    // Another one each time: auth-js answers for a minute from memory what the server said of one.
    refresh_token: `refresh-${crypto.randomUUID()}`,
    token_type: 'bearer',
    expires_in: 3600,
    expires_at: expiresAt,
    user: { id: userId, email: 'giulia@socio.example', app_metadata: {}, user_metadata: {}, aud: 'authenticated' },
  }
}

/** Leaves a valid session in the browser, as an earlier sign-in would have. */
export function storeSession(userId?: string): void {
  localStorage.setItem('sb-127-auth-token', JSON.stringify(makeSession(userId)))
}
