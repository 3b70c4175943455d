/** Removes secrets and what says who somebody is from texts that leave the browser for a log. */

// `domanda` is what somebody is about to ask (paths.ask), often with a name in it.
const PARAMETER = /([?#&](?:[a-z_]*token[a-z_]*|code|apikey|password|domanda)=)[^&#\s]*/gi
const JWT = /eyJ[\w-]+\.[\w-]+\.[\w-]*/g
// Bounded, for a message may be of any length. It ends with letters: `react@19.2.0` and `f@http://…` are no addresses.
const ADDRESS = /[\p{L}\p{N}_.%+-]{1,64}(?:@|%40)(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,63}/giu

/** Values of token parameters (`token_hash`, `access_token`, `code`, …), bare JWTs and email addresses become `[removed]`. */
export function withoutTokens(text: string): string {
  return text.replace(PARAMETER, '$1[removed]').replace(JWT, '[removed]').replace(ADDRESS, '[removed]')
}
