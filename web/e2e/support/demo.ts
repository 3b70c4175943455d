/**
 * The demo account that scripts/demo fills, for tests that only look at it: nothing of it may be changed.
 */
import type { Page } from '@playwright/test'

import { signIn } from './accounts'
import { readStack } from './stack'
import { sessionKey } from './test'

/** Opens `page` as the demo user. */
export async function enterDemo(page: Page): Promise<void> {
  const session = JSON.stringify(await signIn(readStack().demo_user))
  await page.addInitScript(([key, value]) => localStorage.setItem(key, value), [sessionKey, session] as const)
}
