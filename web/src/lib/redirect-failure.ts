/** What the auth service says in the address when it sends somebody back without success (AUTH-04). */

export type RedirectFailure = { code: string; message: string }

/** The failure in `location`, which the implicit flow writes into the fragment and PKCE into the query too. */
export function redirectFailure({ hash, search }: { hash: string; search: string }): RedirectFailure | null {
  for (const params of [new URLSearchParams(hash.slice(1)), new URLSearchParams(search)]) {
    const code = params.get('error_code') ?? params.get('error')
    if (code) return { code, message: params.get('error_description') ?? '' }
  }
  return null
}
