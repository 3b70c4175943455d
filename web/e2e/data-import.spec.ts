/**
 * Somebody moves: what one account took along comes back in a new one, from the second step of onboarding.
 */
import { writeFileSync } from 'node:fs'

import { type Account, addDemoData, createAccount } from './support/accounts'
import { ask } from './support/database'
import { readStack } from './support/stack'
import { expect, test } from './support/test'

test.use({ persona: 'newcomer' })

const stack = readStack()

/** The archive of all data of an account, as its page gets it. */
async function archiveOf(account: Account): Promise<Buffer> {
  const call = async <T>(body: object): Promise<T> => {
    const response = await fetch(`${stack.url}/functions/v1/data_export`, {
      method: 'POST',
      headers: {
        apikey: stack.publishable_key,
        authorization: `Bearer ${account.session.access_token}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    })
    expect(response.status).toBe(200)
    return (await response.json()) as T
  }
  const { id } = await call<{ id: string }>({ domains: 'all', files: true })
  const state = `select state::text from public.data_exports where user_id = $1`
  await expect.poll(() => ask(account, state).trim(), { timeout: 30_000 }).toBe('pronto')
  const { path } = await call<{ path: string }>({ id })
  const answer = await fetch(stack.url + path)
  expect(answer.status).toBe(200)
  return Buffer.from(await answer.arrayBuffer())
}

const count = (who: Account, table: string) => ask(who, `select count(*) from public.${table} where user_id = $1`)

test('a newcomer brings the archive of another account, and finds everything again', async ({
  page,
  account,
  console,
}, info) => {
  const former = await createAccount({ onboarded: true })
  await addDemoData(former)
  const zip = info.outputPath('Socio, i tuoi dati.zip')
  writeFileSync(zip, await archiveOf(former))
  const broken = info.outputPath('rotto.zip')
  writeFileSync(broken, Buffer.from('504b0506000000000000000000000000000000000000', 'hex'))

  await page.goto('/onboarding')
  await page.getByRole('button', { name: 'Salta', exact: true }).click()
  await page.getByRole('button', { name: 'Importa il tuo archivio' }).click()
  await expect(page).toHaveURL(/\/settings\/data$/)

  // A file that is none says so, and the next one may come.
  console.allow(/the server responded with a status of 40[04]/)
  await page.getByLabel('Archivio da importare').setInputFiles(broken)
  await expect(page.getByText(/Questo file non è/)).toBeVisible()
  await page.getByLabel('Archivio da importare').setInputFiles(zip)
  await expect(page.getByText(/^Archivio importato: /)).toBeVisible({ timeout: 60_000 })
  await expect(page.getByLabel('Archivio da importare')).toBeHidden()

  for (const table of ['contacts', 'deals', 'tasks', 'projects', 'stages', 'task_events', 'deal_stage_log'])
    expect(count(account, table), table).toBe(count(former, table))
  await page.goto('/crm?q=Poggio')
  await expect(page.getByRole('link', { name: /Cantina Poggio Alto/ }).first()).toBeVisible()
  await page.goto('/notifications')
  await expect(page.getByText('Archivio importato')).toBeVisible()
})
