/**
 * Credits of a test's person that no screen moves.
 */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

import type { Account } from './accounts'

/** Only the functions of the ledger touch it, and only a server's role may call them. */
const HOLD = `
import asyncio, json, os, sys
import asyncpg

async def main():
    with open(os.environ["SOCIO_RUN_JSON"]) as file:
        connection = await asyncpg.connect(json.load(file)["database_url"])
    await connection.execute(
        "select private.hold_credits(user_id, balance, 'elsewhere') from public.credit_wallets where user_id = $1",
        sys.argv[1],
    )
    await connection.close()

asyncio.run(main())
`

/** Something else holds all credits of `account`: none is left to spend. */
export function holdAllCredits({ session }: Account): void {
  execFileSync('python', ['-c', HOLD, session.user.id], { cwd: fileURLToPath(new URL('../../..', import.meta.url)) })
}
