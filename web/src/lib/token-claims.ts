/** What an access token says, unverified: the server is who checks it. */
export type Claims = {
  sub?: string
  aal?: string
  amr?: { method: string }[]
  /** `missing`: the account has a second factor that this session has not answered; data stays closed to it. */
  second_factor?: string
}

export function claimsIn(accessToken: string): Claims {
  const payload = accessToken.split('.')[1] ?? ''
  return JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/'))) as Claims
}
