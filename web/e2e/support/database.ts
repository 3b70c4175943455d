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

const RUN = `
import asyncio, json, os, sys
import asyncpg
from backend.core import db, jobs

async def main():
    with open(os.environ["SOCIO_RUN_JSON"]) as file:
        connection = await asyncpg.connect(json.load(file)["database_url"])
    await db.prepare(connection)
    for name in sys.argv[1:]:
        await jobs.enqueue(connection, name, {})
    await connection.close()

asyncio.run(main())
`

const RUNNER = `
import json, sys, tempfile
from datetime import UTC, datetime
from scripts import qa_runner
from scripts.browsers.__main__ import test_of

item = {"route": sys.argv[1], "width": 360, "check": "overflow", "outcome": "passed", "note": ""}
report = {
    "config": {"version": "", "metadata": {"source": "e2e"}},
    "suites": [{"title": "e2e", "specs": [test_of("chromium", "150.0", [item])]}],
    "stats": {"startTime": datetime.now(UTC).isoformat(), "duration": 1000},
}
leave = "import os, sys; open(os.environ['SOCIO_QA_REPORT'], 'w').write(sys.argv[1])"
qa_runner.COMMANDS = {"mobile": (sys.executable, "-c", leave, json.dumps(report))}
with tempfile.TemporaryDirectory() as folder:
    sys.exit(qa_runner.main(["--name", "banco-1", "--lock", folder + "/lock"]))
`

const python = (...args: string[]): string =>
  execFileSync('python', args, {
    cwd: fileURLToPath(new URL('../../..', import.meta.url)),
    encoding: 'utf8',
  })

/** The last answer to statements about `account`, whose id is their only parameter. */
export function ask({ session }: Account, ...statements: string[]): string {
  return python('-c', ASK, session.user.id, ...statements)
}

/** Has the worker do these jobs of the product now, which it does by itself each minute. */
export function runJobs(...names: string[]): void {
  python('-c', RUN, ...names)
}

/** Sends a report of Playwright to the stack, as a person does it; returns what the command says. */
export function sendReport(file: string, ...options: string[]): string {
  return python('-m', 'scripts.qa', file, ...options)
}

/** Carries out the run that an admin asked for, with tests that find this route well; returns what the command says. */
export function carryOutQa(route: string): string {
  return python('-c', RUNNER, route)
}
