/**
 * A client of the person asks for their rights: the request is registered, everything is found, copied, and erased.
 */
import { expectAccessible, expectNoSidewaysScroll } from './support/axe'
import { ask } from './support/database'
import { expect, test } from './support/test'

test.use({ persona: 'member' })

const CONTACT = `insert into public.contacts (user_id, first_name, last_name) values ($1, 'Zoe', 'Quarti')`
const EMAIL = `insert into public.contact_emails (user_id, contact_id, value)
  select user_id, id, 'zoe@example.it' from public.contacts where user_id = $1`
const NOTE = `insert into public.notes (user_id, contact_id, body)
  select user_id, id, 'Preferisce il mattino' from public.contacts where user_id = $1`
const TASK = `insert into public.tasks (user_id, title) values ($1, 'Sentire Zoe Quarti')`
const LEFT = `select count(*) from public.notes where user_id = $1`
const TITLE = `select title from public.tasks where user_id = $1`

test('a client asks to be forgotten: registered, found, copied, erased with a certificate @journey', async ({
  page,
  account,
}) => {
  ask(account, CONTACT, EMAIL, NOTE, TASK)
  await page.goto('/settings/privacy')
  await page.getByRole('button', { name: 'Registra una richiesta' }).click()
  const form = page.getByRole('dialog', { name: 'Registra una richiesta' })
  await form.getByRole('combobox', { name: 'Cliente' }).fill('Quarti')
  await form.getByRole('option', { name: 'Zoe Quarti' }).click()
  await form.getByLabel('Che cosa chiede').selectOption('Cancellare i dati')
  await form.getByLabel(/^Come/).fill('email')
  await expectAccessible(page)
  await form.getByRole('button', { name: 'Registra' }).click()
  const requests = page.getByRole('list', { name: 'Richieste aperte' })
  await expect(requests.getByRole('listitem')).toContainText(/Zoe Quarti: cancellare i dati.*mancano \d+ giorni/)
  await expectNoSidewaysScroll(page)
  await page.getByRole('button', { name: 'Prolunga la richiesta di Zoe Quarti' }).click()
  const reason = page.getByRole('dialog', { name: 'Prolungare di due mesi?' })
  await reason.getByLabel('Motivo').fill('Molti archivi da controllare')
  await reason.getByRole('button', { name: 'Prolunga' }).click()
  await expect(requests.getByRole('listitem')).toContainText('prolungata: Molti archivi da controllare')

  await page.getByRole('link', { name: 'Trova tutto di Zoe Quarti' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Diritti e dati' })).toBeVisible()
  await page.getByRole('region', { name: 'Storia' }).getByText('Note').click()
  await expect(page.getByText('Preferisce il mattino')).toBeVisible()
  await expect(page.getByText('Potrebbe riguardare Zoe Quarti')).toBeVisible()
  await expect(page.getByRole('list', { name: 'Va via' })).toContainText('Indirizzi email')
  await expectAccessible(page)
  await expectNoSidewaysScroll(page)
  for (const [button, file] of [
    ['Scarica i suoi dati', 'Zoe Quarti.json'],
    ['Scheda in PDF', 'Scheda di Zoe Quarti.pdf'],
  ] as const) {
    const [copy] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: button }).click(),
    ])
    expect(copy.suggestedFilename()).toBe(file)
  }

  await page.getByRole('button', { name: 'Cancella Zoe Quarti' }).click()
  const dialog = page.getByRole('dialog', { name: 'Cancellare Zoe Quarti per sempre?' })
  await dialog.getByLabel(/per confermare$/).fill('zoe quarti')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Cancella per sempre' }).click()
  await expect(page.getByText('Dati cancellati')).toBeVisible()
  const [certificate] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Scarica il certificato' }).click(),
  ])
  expect(certificate.suggestedFilename()).toBe('Certificato di cancellazione.pdf')
  expect(ask(account, LEFT).trim()).toBe('0')
  expect(ask(account, TITLE).trim()).toBe('Sentire contatto cancellato')

  await page.getByRole('link', { name: 'Torna a Privacy' }).click()
  await page.getByText('Chiuse e cancellate').click()
  const past = page.getByRole('list', { name: 'Richieste chiuse' })
  await expect(past).toContainText('Zoe Quarti: cancellare i datiSoddisfatta')
  await expect(past.getByRole('button', { name: 'Certificato di Z. Q.' })).toBeVisible()
})
