/**
 * Runs of the assistant whose process dies: what the database knows of them.
 */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

import type { Account } from './accounts'

const ASK = `
import asyncio, json, os, sys
import asyncpg

async def main():
    with open(os.environ["SOCIO_RUN_JSON"]) as file:
        connection = await asyncpg.connect(json.load(file)["database_url"])
    for statement in sys.argv[2:]:
        answer = await connection.fetchval(statement, sys.argv[1])
    print(answer)
    await connection.close()

asyncio.run(main())
`

const LET_A_MINUTE_PASS = `
  update public.runs set heartbeat_at = now() - interval '61 seconds' where user_id = $1 and state = 'running'`
const SWEEP = 'select private.sweep_runs(10, $1)'
const EVENTS = `
  select coalesce(jsonb_agg(data), '[]') from private.run_events
  where run_id in (select id from public.runs where user_id = $1)`

/** The last answer to statements about `account`, which is their only parameter. */
function ask({ session }: Account, ...statements: string[]): string {
  const cwd = fileURLToPath(new URL('../../..', import.meta.url))
  return execFileSync('python', ['-c', ASK, session.user.id, ...statements], { cwd, encoding: 'utf8' })
}

/** Lets the minute pass after which the sweep ends what nobody works on; answers how many answers of `account` it ended. */
export function sweepRuns(account: Account): number {
  return Number(ask(account, LET_A_MINUTE_PASS, SWEEP))
}

/** What is kept of the answers that `account` is being given; what was told a tenth of a second ago may not be yet. */
export function keptEvents(account: Account): string {
  return ask(account, EVENTS)
}
