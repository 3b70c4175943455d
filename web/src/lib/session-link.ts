/** Which addresses may sign somebody in: anybody can write one, and have it opened. */
import { storedUserId } from '@/lib/stored-session'
import { claimsIn } from '@/lib/token-claims'

type Params = Record<string, string>

/** Whose tokens these are; the auth service checks them before they count. */
function ownerOf(accessToken: string): string | undefined {
  try {
    return claimsIn(accessToken).sub
  } catch {
    return undefined
  }
}

/**
 * supabase-js asks whether the answer in the address is to be taken (`detectSessionInUrl`).
 *
 * Tokens start a session where there is none (a provider, GET /verify), or renew the one of the same person (a linked
 * account). They never put somebody else in the place of who is signed in: such an answer becomes a failure, which the
 * page tells, and its tokens leave the address.
 */
export function takesSessionFrom({ pathname, search }: URL, params: Params): boolean {
  if (!params.access_token) return Boolean(params.error || params.error_description || params.error_code)
  const here = storedUserId()
  if (here === null || ownerOf(params.access_token) === here) return true
  window.history.replaceState(window.history.state, '', `${pathname}${search}#error_code=other_session`)
  return false
}
