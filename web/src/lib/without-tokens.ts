/** Removes secrets from texts that leave the browser for a log. */

const PARAMETER = /([?#&](?:[a-z_]*token[a-z_]*|code|apikey|password)=)[^&#\s]*/gi
const JWT = /eyJ[\w-]+\.[\w-]+\.[\w-]*/g

/** Values of token parameters (`token_hash`, `access_token`, `code`, …) and bare JWTs become `[removed]`. */
export function withoutTokens(text: string): string {
  return text.replace(PARAMETER, '$1[removed]').replace(JWT, '[removed]')
}
