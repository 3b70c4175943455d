/**
 * Runs of the assistant whose process died, a minute later.
 */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

import type { Account } from './accounts'

const SWEEP = `
import asyncio, json, os, sys
import asyncpg

async def main():
    with open(os.environ["SOCIO_RUN_JSON"]) as file:
        connection = await asyncpg.connect(json.load(file)["database_url"])
    await connection.execute(
        "update public.runs set heartbeat_at = now() - interval '61 seconds' where user_id = $1 and state = 'running'",
        sys.argv[1],
    )
    print(await connection.fetchval("select private.sweep_runs(10, $1)", sys.argv[1]))
    await connection.close()

asyncio.run(main())
`

/** Lets the minute pass after which the sweep ends what nobody works on; answers how many answers of `account` it ended. */
export function sweepRuns({ session }: Account): number {
  const cwd = fileURLToPath(new URL('../../..', import.meta.url))
  return Number(execFileSync('python', ['-c', SWEEP, session.user.id], { cwd, encoding: 'utf8' }))
}
