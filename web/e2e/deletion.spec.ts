/**
 * The account goes: what is seen before, what is asked, thirty days to take it back, and the end.
 */
import { ask, runJobs } from './support/database'
import { newestMail } from './support/mailbox'
import { expect, test } from './support/test'

test.use({ persona: 'member' })

const DUE = `update public.deletion_requests
  set due_at = now() - interval '1 minute', reminded_at = now() - interval '7 days' where user_id = $1 and cancelled_at is null`

test('the account is deleted, taken back, and deleted for good @journey', async ({
  page,
  account,
  console,
  elsewhere,
}) => {
  ask(account, `insert into public.contacts (user_id, first_name, last_name) values ($1, 'Carla', 'Rossi')`)
  await page.goto('/settings/data')
  await page.getByRole('link', { name: 'Vedi che cosa succede' }).click()
  await page.getByText('Clienti, email e trattative').click()
  await expect(page.getByText('I tuoi contatti')).toBeVisible()
  await expect(page.getByRole('list', { name: 'Resta' })).toContainText('Ordini e movimenti di crediti')

  const remove = page.getByRole('button', { name: 'Elimina l’account' })
  const fill = async () => {
    await page.getByRole('checkbox', { name: 'Rinuncio ai crediti che restano' }).check()
    await page.getByLabel(/^Scrivi/).fill(account.email)
  }
  await page.getByLabel(/^Scrivi/).fill(account.email)
  await expect(remove).toBeDisabled()
  await fill()
  await remove.click()
  const dialog = page.getByRole('dialog', { name: 'Eliminare il tuo account?' })
  await dialog.getByRole('button', { name: 'Elimina l’account' }).click()
  await expect(page.getByRole('heading', { name: /^Il tuo account verrà eliminato il/ })).toBeVisible()
  expect((await newestMail(account.email, 2)).subject).toBe('Hai chiesto di eliminare il tuo account')

  // Every page is this one, but the one to take the data along.
  await page.goto('/crm')
  await expect(page.getByRole('heading', { name: /^Il tuo account verrà eliminato il/ })).toBeVisible()
  await page.getByRole('link', { name: 'Scarica i tuoi dati' }).click()
  await expect(page.getByRole('button', { name: 'Prepara l’archivio' })).toBeVisible()
  await page.getByRole('button', { name: 'Annulla l’eliminazione' }).click()
  await expect(page.getByRole('link', { name: 'Vedi che cosa succede' })).toBeVisible()
  await page.goto('/crm')
  await expect(page.getByText('Carla Rossi')).toBeVisible()

  await page.goto('/settings/data/delete')
  await fill()
  await remove.click()
  await dialog.getByRole('button', { name: 'Elimina l’account' }).click()
  await expect(page.getByRole('heading', { name: /^Il tuo account verrà eliminato il/ })).toBeVisible()
  // Only then is the next mail the last one.
  await newestMail(account.email, 3)
  ask(account, DUE)
  runJobs('account_deletions')
  const certificate = await newestMail(account.email, 4)
  expect(certificate.subject).toBe('Il tuo account è stato eliminato')
  expect(certificate.text).toContain('Certificato ')

  console.allow(/the server responded with a status of 4\d\d/)
  const other = await elsewhere()
  await other.goto('/login')
  await other.getByLabel('Email').fill(account.email)
  await other.getByLabel('Password', { exact: true }).fill(account.password)
  await other.getByRole('button', { name: 'Accedi', exact: true }).click()
  await expect(other.getByText(/^Email o password errati/)).toBeVisible()
  expect(ask(account, 'select count(*) from public.contacts where user_id = $1')).toContain('0')
})
