/**
 * Export and deletion of an account that has rows in every table, counted by the catalogue before and after. Alone: its
 * rows have ids of their own, and there can be one such account only.
 */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

import { type Account, signIn } from './support/accounts'
import { ask, runJobs } from './support/database'
import { expect, sessionKey, test } from './support/test'

const PERSON = { email: 'anna@example.test', password: 'Prova-2026-ok', fullName: 'Anna Verdi' }

const FILL = `
import asyncio, json, os, sys
from types import SimpleNamespace
import asyncpg
from argon2 import PasswordHasher
from tests.functions.test_account_deletion import everything

async def main():
    with open(os.environ["SOCIO_RUN_JSON"]) as file:
        url = json.load(file)["database_url"]
    owner = await everything(SimpleNamespace(settings=SimpleNamespace(database_url=url)))
    connection = await asyncpg.connect(url)
    await connection.execute(
        "update auth.users set encrypted_password = $2 where id = $1", owner, PasswordHasher().hash(sys.argv[1])
    )
    await connection.execute("update public.profiles set onboarding_completed = true where user_id = $1", owner)
    await connection.close()

asyncio.run(main())
`

const ROWS_OF_ARCHIVE = `
import json, sys, zipfile
from functions._shared import personal_archive, personal_data

with zipfile.ZipFile(sys.argv[1]) as archive:
    assert archive.testzip() is None
    print(json.dumps({
        table: len(json.loads(archive.read(f"{folder}/{table.partition('.')[2]}.json")))
        for folder, tables in personal_data.EXPORTED.items() for table in tables
    }))
`

const python = (code: string, ...args: string[]) =>
  execFileSync('python', ['-c', code, ...args], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    encoding: 'utf8',
  })

type Counts = Record<string, number>
const counted = (account: Account) => JSON.parse(ask(account, 'select private.personal_counts($1)::text')) as Counts

test('all rows of every table are in the archive, and after the deletion none is left but what the law keeps', async ({
  page,
  console,
}) => {
  python(FILL, PERSON.password)
  const account = { ...PERSON, session: await signIn(PERSON) }
  await page.addInitScript(([key, session]) => localStorage.setItem(key, session), [
    sessionKey,
    JSON.stringify(account.session),
  ] as const)
  // `everything` has seen that no table is empty; by now jobs may have done what some rows ask for.
  const before = counted(account)

  await page.goto('/settings/data')
  // One of its rows is an archive that waits for a job.
  await page.getByRole('button', { name: 'Annulla', exact: true }).click()
  await page.getByRole('button', { name: 'Prepara l’archivio' }).click()
  const archives = page.getByRole('list', { name: 'I tuoi archivi' })
  await expect(archives).toContainText('Scaricabile fino al', { timeout: 60_000 })
  const after = counted(account)
  const pending = page.waitForEvent('download')
  await archives.getByRole('button', { name: 'Scarica' }).first().click()
  const rows = JSON.parse(python(ROWS_OF_ARCHIVE, await (await pending).path())) as Counts
  // The export itself leaves a row and a notice.
  for (const [table, count] of Object.entries(rows)) expect([before[table], after[table]], table).toContain(count)

  await page.goto('/settings/data/delete')
  await page.getByRole('radio', { name: /altrove/ }).check()
  await page.getByRole('checkbox', { name: 'Rinuncio ai crediti che restano' }).check()
  await page.getByLabel(/^Scrivi/).fill(PERSON.email)
  await page.getByRole('button', { name: 'Elimina l’account' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Elimina l’account' }).click()
  await expect(page.getByRole('heading', { name: /^Il tuo account verrà eliminato il/ })).toBeVisible()
  console.allow(/the server responded with a status of 4\d\d/)
  ask(
    account,
    `update public.deletion_requests set due_at = now() - interval '1 minute', reminded_at = now() - interval '7 days'
     where user_id = $1 and cancelled_at is null`,
  )
  runJobs('account_deletions')
  await expect
    .poll(() => ask(account, 'select count(*) from auth.users where id = $1').trim(), { timeout: 60_000 })
    .toBe('0')
  const kept = JSON.parse(ask(account, 'select to_jsonb(private.kept_tables())::text, $1::uuid')) as string[]
  const left = Object.entries(counted(account)).filter(([table, count]) => count > 0 && !kept.includes(table))
  expect(left).toEqual([])
})
