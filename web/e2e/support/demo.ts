/**
 * The demo account that scripts/demo fills, for tests that only look at it: nothing of it may be changed; and its business
 * in an account of one's own.
 */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

import type { Page } from '@playwright/test'

import { type Account, signIn } from './accounts'
import { readStack } from './stack'
import { sessionKey } from './test'

/** Opens `page` as the demo user. */
export async function enterDemo(page: Page): Promise<void> {
  const session = JSON.stringify(await signIn(readStack().demo_user))
  await page.addInitScript(([key, value]) => localStorage.setItem(key, value), [sessionKey, session] as const)
}

const FILL = `
import asyncio, sys
from uuid import UUID
from backend.core import config, db
from backend.storage import blobs
from scripts.demo import account, fill

async def main():
    settings = config.load()
    connection = await db.connect(settings)
    await db.prepare(connection)
    async with blobs.opened(settings) as store, connection.transaction():
        await fill.write(connection, store, UUID(sys.argv[1]), await account.today(connection))
    await connection.close()

asyncio.run(main())
`

/** Gives `account` the clients, the work and the papers of the demo account, to do with as it likes. */
export function fillDemo({ session }: Account): void {
  const cwd = fileURLToPath(new URL('../../..', import.meta.url))
  execFileSync('python', ['-c', FILL, session.user.id], { cwd })
}
