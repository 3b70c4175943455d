/**
 * The stack's database, for what no screen and no API shows or moves.
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

/** The last answer to statements about `account`, whose id is their only parameter. */
export function ask({ session }: Account, ...statements: string[]): string {
  const cwd = fileURLToPath(new URL('../../..', import.meta.url))
  return execFileSync('python', ['-c', ASK, session.user.id, ...statements], { cwd, encoding: 'utf8' })
}
