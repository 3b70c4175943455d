/**
 * The `test` of every end-to-end file: who is signed in, and a browser console that must stay silent.
 */
import { type BrowserContext, expect, type Page, test as base } from '@playwright/test'

import { type Account, addSecondFactor, createAccount, makeAdmin, type Session } from './accounts'
import { readStack } from './stack'

/** guest: nobody; newcomer: confirmed, before onboarding; member: onboarded; admin: with role and second factor. */
export type Persona = 'guest' | 'newcomer' | 'member' | 'admin'

type Options = {
  persona: Persona
  /** The browser has never seen Socio: the cookie banner and the guided tour come by themselves. */
  isFirstVisit: boolean
  /** The assistant asks the model instead of answering by itself. */
  usesModel: boolean
  /** The service worker runs. Elsewhere the browser has none: the requests of a worker cannot be watched or refused. */
  hasWorker: boolean
}

type Fixtures = {
  /** The account behind `persona`; nobody for a guest. */
  visitor: Account | null
  /** The same, for tests whose persona is never a guest. */
  account: Account
  console: Console
  /** Opens a page in another browser where nobody is signed in: a phone, a mail scanner. */
  elsewhere: () => Promise<Page>
}

type Console = {
  /** Complaints that the test provokes on purpose. */
  allow: (pattern: RegExp) => void
  watch: (context: BrowserContext) => void
}

const stack = readStack()

/** supabase-js names its entry after the first label of the host. */
export const sessionKey = `sb-${new URL(stack.url).hostname.split('.')[0]}-auth-token`

type State = Partial<Pick<Options, 'isFirstVisit' | 'usesModel'>>

/** A browser state in which `session` is already signed in and, unless it is new, nothing is asked any more. */
function signedIn(session: Session | null, { isFirstVisit = false, usesModel = false }: State = {}) {
  const localStorage = session ? [{ name: sessionKey, value: JSON.stringify(session) }] : []
  if (!usesModel) localStorage.push({ name: 'socio.chat.way', value: 'locale' })
  if (!isFirstVisit) {
    localStorage.push(
      { name: 'cookie_consent', value: 'rejected' },
      { name: 'cookie_consent_date', value: new Date().toISOString() },
      { name: 'tour_completed', value: 'true' },
    )
  }
  return { cookies: [], origins: [{ origin: new URL(stack.url).origin, localStorage }] }
}

const nobody = signedIn(null)

async function withoutWorker(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => Reflect.deleteProperty(Navigator.prototype, 'serviceWorker'))
}

/** Collects what the browsers complain about; CSP violations arrive here as console errors too. */
class Watcher implements Console {
  readonly #complaints: string[] = []
  readonly #allowed: RegExp[] = []

  allow = (pattern: RegExp) => void this.#allowed.push(pattern)

  watch = (context: BrowserContext) => {
    context.on('console', (message) => {
      if (message.type() !== 'error' && message.type() !== 'warning') return
      this.#complaints.push(`${message.type()}: ${message.text()} (${message.location().url})`)
    })
    context.on('weberror', (failure) => {
      this.#complaints.push(`page error: ${failure.error().stack ?? failure.error().message}`)
    })
  }

  unexpected(): string[] {
    return this.#complaints.filter((text) => !this.#allowed.some((pattern) => pattern.test(text)))
  }
}

async function visitorFor(persona: Persona): Promise<Account | null> {
  switch (persona) {
    case 'guest':
      return null
    case 'admin': {
      const account = await createAccount({ onboarded: true })
      await makeAdmin(account)
      await addSecondFactor(account)
      return account
    }
    case 'newcomer':
    case 'member':
      return createAccount({ onboarded: persona === 'member' })
  }
}

export const test = base.extend<Options & Fixtures>({
  persona: ['guest', { option: true }],
  isFirstVisit: [false, { option: true }],
  usesModel: [false, { option: true }],
  hasWorker: [false, { option: true }],

  context: async ({ context, hasWorker }, provide) => {
    if (!hasWorker) await withoutWorker(context)
    await provide(context)
  },

  visitor: async ({ persona }, provide) => {
    await provide(await visitorFor(persona))
  },

  account: async ({ visitor }, provide) => {
    if (!visitor) throw new Error('a guest has no account: choose another persona')
    await provide(visitor)
  },

  storageState: async ({ visitor, isFirstVisit, usesModel }, provide) => {
    await provide(signedIn(visitor?.session ?? null, { isFirstVisit, usesModel }))
  },

  console: [
    async ({ context }, provide) => {
      const watcher = new Watcher()
      watcher.watch(context)
      await provide(watcher)
      expect(watcher.unexpected(), 'the browser console stays silent').toEqual([])
    },
    { auto: true },
  ],

  elsewhere: async ({ browser, console }, provide) => {
    const contexts: BrowserContext[] = []
    await provide(async () => {
      const context = await browser.newContext({ storageState: nobody })
      await withoutWorker(context)
      contexts.push(context)
      console.watch(context)
      return context.newPage()
    })
    await Promise.all(contexts.map((context) => context.close()))
  },
})

export { expect }
