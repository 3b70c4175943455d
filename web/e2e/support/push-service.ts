/**
 * The fake push service of the Python tests (tests/fakes/push.py), with one browser that subscribes to it. It checks the
 * signature of what arrives and decrypts it.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

import type { Account } from './accounts'
import { readStack } from './stack'

const SERVE = `
import asyncio, json, sys
from tests.fakes import push

async def main():
    async with push.serving() as service:
        browser = service.browser()
        print(json.dumps(browser.subscription()), flush=True)
        while await asyncio.to_thread(sys.stdin.readline):
            print(json.dumps([json.loads(browser.read(each.body)) for each in service.received]), flush=True)

asyncio.run(main())
`

export type Push = { news: number; url: string }

/** Makes a device of `account`; the answer reads all that it received. It ends with the test process, whose pipe it reads. */
export async function startPushService({ session }: Account): Promise<() => Promise<Push[]>> {
  const cwd = fileURLToPath(new URL('../../..', import.meta.url))
  const child = spawn('python', ['-c', SERVE], { cwd, stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface(child.stdout)
  const [subscription] = (await once(lines, 'line')) as [string]
  const { url, publishable_key: apikey } = readStack()
  const kept = await fetch(`${url}/functions/v1/push_devices`, {
    method: 'POST',
    headers: { apikey, Authorization: `Bearer ${session.access_token}`, 'Content-Type': 'application/json' },
    body: subscription,
  })
  if (!kept.ok) throw new Error(`push_devices answered ${kept.status}: ${await kept.text()}`)
  child.unref()
  return async () => {
    const answer = once(lines, 'line') as Promise<[string]>
    child.stdin.write('\n')
    return JSON.parse((await answer)[0]) as Push[]
  }
}
