/** Where somebody goes on after a sign-in that another page sent them to; it lives in the tab, and not for long. */
import { session } from '@/lib/storage'
import { storedUserId } from '@/lib/stored-session'

const KEY = 'socio.return'
/** An application's request lives ten minutes; whoever signs in later starts from the beginning. */
const LIFE_MS = 10 * 60_000

let last = ''

/** Whose pages this tab has shown last, since it was loaded; empty when nobody's. */
export const lastPerson = (): string => last

export function rememberPerson(userId: string): void {
  last = userId
}

/** The sign-in that comes next leads to `path`, a page of the product; only that of `owner`, where there is one. */
export function rememberReturn(path: string, owner = ''): void {
  session.setItem(KEY, `${Date.now() + LIFE_MS} ${owner} ${path}`)
}

export function forgetReturn(): void {
  session.removeItem(KEY)
}

/** Where a sign-in leads: to what has been remembered, else to `usual`. */
export function returnPath(usual: string): string {
  const [until = '', owner = '', path = ''] = (session.getItem(KEY) ?? '').split(' ')
  if (Number(until) <= Date.now() || (owner && owner !== storedUserId())) return usual
  // Of this origin only: `//host` is another one's.
  return /^\/(?!\/)/.test(path) ? path : usual
}
