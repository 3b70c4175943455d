/**
 * The person's data are taken along: chosen, made by a job, downloaded, resumed, and for a week only.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

import { ask } from './support/database'
import { expect, test } from './support/test'

test.use({ persona: 'member' })

/** The names in a ZIP, each of whose files is whole. */
function namesIn(zip: string): string[] {
  const code =
    'import sys, zipfile; archive = zipfile.ZipFile(sys.argv[1]); assert archive.testzip() is None; print(*archive.namelist(), sep="\\n")'
  return execFileSync('python', ['-c', code, zip], { encoding: 'utf8' }).trim().split('\n')
}

test('an archive of some data is made, downloaded, resumed and closed after a week', async ({
  page,
  account,
  console,
}) => {
  ask(account, `insert into public.contacts (user_id, first_name, last_name) values ($1, 'Carla', 'Rossi')`)
  await page.goto('/settings/data')
  await expect(page.getByText(/^Nessuno: il primo che prepari/)).toBeVisible()
  await page.getByRole('button', { name: 'Togli tutto' }).click()
  await expect(page.getByRole('button', { name: 'Prepara l’archivio' })).toBeDisabled()
  await page.getByRole('checkbox', { name: 'Clienti, email e trattative' }).press('Space')
  await page.getByRole('button', { name: 'Prepara l’archivio' }).press('Enter')

  const archives = page.getByRole('list', { name: 'I tuoi archivi' })
  await expect(archives).toContainText('Scaricabile fino al', { timeout: 30_000 })
  await expect(archives).toContainText('Clienti, email e trattative · con i file originali')
  const pending = page.waitForEvent('download')
  await archives.getByRole('button', { name: 'Scarica' }).click()
  const download = await pending
  expect(download.suggestedFilename()).toMatch(/^Socio, i tuoi dati del \d{4}-\d\d-\d\d\.zip$/)
  const path = await download.path()
  const names = namesIn(path)
  expect(names).toContain('clienti/contacts.csv')
  expect(names.filter((name) => name.startsWith('documenti/'))).toEqual([])
  const whole = readFileSync(path)
  await expect(archives).toContainText(createHash('sha256').update(whole).digest('hex'))
  await expect(archives).toContainText('scaricato 1 volta')

  // A download that was cut goes on where it was.
  const rest = await page.request.get(download.url(), { headers: { range: 'bytes=1000-' } })
  expect(rest.status()).toBe(206)
  expect((await rest.body()).equals(whole.subarray(1000))).toBe(true)

  await page.goto('/notifications')
  await expect(page.getByText('I tuoi dati sono pronti')).toBeVisible()

  // The page still offers what is over on the server.
  await page.goto('/settings/data')
  await expect(archives.getByRole('button', { name: 'Scarica' })).toBeVisible()
  ask(account, `update public.data_exports set expires_at = now() where user_id = $1`)
  console.allow(/the server responded with a status of 404/)
  await archives.getByRole('button', { name: 'Scarica' }).click()
  await expect(page.getByText('Questo archivio non c’è più: chiedi di nuovo i tuoi dati.')).toBeVisible()
  await expect(archives).toContainText('non più scaricabile')
})

const UNDER_WAY = `insert into public.data_exports (user_id, domains, with_files, state, progress)
  values ($1, '{profilo,clienti}', true, 'in_corso', 42)`

test('an archive under way is seen after a reload, and can be cancelled', async ({ page, account }) => {
  // Of no job: it stays where it is.
  ask(account, UNDER_WAY)
  await page.goto('/settings/data')
  const bar = page.getByRole('progressbar', { name: 'Avanzamento dell’archivio' })
  await expect(bar).toHaveAttribute('aria-valuenow', '42')
  ask(account, `update public.data_exports set progress = 60 where user_id = $1`)
  await expect(bar).toHaveAttribute('aria-valuenow', '60')
  await page.reload()
  await expect(bar).toHaveAttribute('aria-valuenow', '60')
  await page.getByRole('button', { name: 'Annulla', exact: true }).click()
  await expect(page.getByRole('button', { name: 'Prepara l’archivio' })).toBeVisible()
  await expect(page.getByRole('list', { name: 'I tuoi archivi' })).toContainText('Archivio annullato')
})
