/** Who still owes the second factor is nobody to the data: what is public is asked for without their token. */
import { claimsIn } from '@/lib/token-claims'

/** `fetch` that sends `publishableKey` in place of a token which would be refused; to the auth service it goes as it is. */
export const publicWhileHalfway =
  (inner: typeof fetch, publishableKey: string): typeof fetch =>
  (input, init) => {
    const headers = new Headers(init?.headers)
    const token = headers.get('Authorization')?.replace(/^Bearer /, '') ?? ''
    const address = input instanceof Request ? input.url : String(input)
    if (token.includes('.') && !address.includes('/auth/v1/') && claimsIn(token).second_factor === 'missing') {
      headers.set('Authorization', `Bearer ${publishableKey}`)
      return inner(input, { ...init, headers })
    }
    return inner(input, init)
  }
