/**
 * The `test` of every end-to-end file: who is signed in, and a browser console that must stay silent.
 */
import { type BrowserContext, expect, test as base } from '@playwright/test'

import { type Account, createAccount, type Session, signIn } from './accounts'
import { readStack } from './stack'

/** guest: nobody; newcomer: confirmed, before onboarding; member: onboarded; admin: the demo administrator. */
export type Persona = 'guest' | 'newcomer' | 'member' | 'admin'

type Options = { persona: Persona }

type Fixtures = {
  /** The account behind `persona`; nobody for a guest. */
  visitor: Account | null
  /** The same, for tests whose persona is never a guest. */
  account: Account
  console: { allow: (pattern: RegExp) => void }
}

const stack = readStack()

/** supabase-js names its entry after the first label of the host. */
export const sessionKey = `sb-${new URL(stack.url).hostname.split('.')[0]}-auth-token`

/** A browser state in which `session` is already signed in. */
function signedIn(session: Session | null) {
  const localStorage = session ? [{ name: sessionKey, value: JSON.stringify(session) }] : []
  return { cookies: [], origins: [{ origin: new URL(stack.url).origin, localStorage }] }
}

/** Collects what the browser complains about; CSP violations arrive here as console errors too. */
function watch(context: BrowserContext): { complaints: string[]; allowed: RegExp[] } {
  const complaints: string[] = []
  context.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') {
      complaints.push(`${message.type()}: ${message.text()} (${message.location().url})`)
    }
  })
  context.on('weberror', (failure) =>
    complaints.push(`page error: ${failure.error().stack ?? failure.error().message}`),
  )
  return { complaints, allowed: [] }
}

async function visitorFor(persona: Persona): Promise<Account | null> {
  switch (persona) {
    case 'guest':
      return null
    case 'admin':
      return { ...stack.demo_admin, fullName: 'Admin', session: await signIn(stack.demo_admin) }
    case 'newcomer':
    case 'member':
      return createAccount({ onboarded: persona === 'member' })
  }
}

export const test = base.extend<Options & Fixtures>({
  persona: ['guest', { option: true }],

  visitor: async ({ persona }, provide) => {
    await provide(await visitorFor(persona))
  },

  account: async ({ visitor }, provide) => {
    if (!visitor) throw new Error('a guest has no account: choose another persona')
    await provide(visitor)
  },

  storageState: async ({ visitor }, provide) => {
    await provide(signedIn(visitor?.session ?? null))
  },

  console: [
    async ({ context }, provide) => {
      const watched = watch(context)
      await provide({ allow: (pattern) => watched.allowed.push(pattern) })
      const unexpected = watched.complaints.filter((text) => !watched.allowed.some((pattern) => pattern.test(text)))
      expect(unexpected, 'the browser console stays silent').toEqual([])
    },
    { auto: true },
  ],
})

export { expect }
