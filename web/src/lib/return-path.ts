/** Where somebody goes on after a sign-in that another page sent them to; it lives in the tab, and not for long. */
import { session } from '@/lib/storage'

const KEY = 'socio.return'
/** An application's request lives ten minutes; whoever signs in later starts from the beginning. */
const LIFE_MS = 10 * 60_000

/** The sign-in that comes next leads to `path`, a page of the product. */
export function rememberReturn(path: string): void {
  session.setItem(KEY, `${Date.now() + LIFE_MS} ${path}`)
}

export function forgetReturn(): void {
  session.removeItem(KEY)
}

/** Where a sign-in leads: to what has been remembered, else to `usual`. */
export function returnPath(usual: string): string {
  const [until = '', path = ''] = (session.getItem(KEY) ?? '').split(' ')
  // Of this origin only: `//host` is another one's.
  return Number(until) > Date.now() && /^\/(?!\/)/.test(path) ? path : usual
}
