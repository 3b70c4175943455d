/** Where code reports something wrong that is not an exception of React. */
import { withoutTokens } from '@/lib/without-tokens'

/** A warning in the console, without secrets; the browser's own tools and monitors pick it up from there. */
export function reportError(message: string): void {
  console.warn(withoutTokens(message))
}
