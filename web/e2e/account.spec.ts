/**
 * The settings of one's own account: profile, address, password, devices.
 */
import { signIn } from './support/accounts'
import { codeIn, linkTo, newestMail } from './support/mailbox'
import { expect, sessionKey, test } from './support/test'

const refused = /the server responded with a status of 4\d\d/

test.use({ persona: 'member' })

test('the profile is changed and the new name is everywhere @journey', async ({ page }) => {
  await page.goto('/settings/profile')
  await page.getByLabel('Nome completo').fill('')
  await page.getByRole('button', { name: 'Salva', exact: true }).click()
  await expect(page.getByText('Nome deve essere almeno 2 caratteri')).toBeVisible()
  await page.getByLabel('Nome completo').fill('Bianca Rossi')
  await page.getByLabel('Che cosa vuoi ottenere per primo?').fill('Incassare prima')
  await page.getByRole('button', { name: 'Salva', exact: true }).click()
  await expect(page.getByText('Profilo salvato')).toBeVisible()
  await expect(page.getByRole('banner').getByRole('button', { name: 'BR, il tuo account' })).toBeVisible()
  await page.reload()
  await expect(page.getByLabel('Che cosa vuoi ottenere per primo?')).toHaveValue('Incassare prima')
})

test('a new address counts when the old and the new one have confirmed', async ({ page, account, elsewhere }) => {
  const next = `nuova-${account.email}`
  await page.goto('/settings/profile')
  await page.getByLabel('Nuovo indirizzo email').fill(account.email)
  await page.getByRole('button', { name: 'Cambia indirizzo' }).click()
  await expect(page.getByText('È già il tuo indirizzo')).toBeVisible()
  await page.getByLabel('Nuovo indirizzo email').fill(next)
  await page.getByRole('button', { name: 'Cambia indirizzo' }).click()
  await expect(page.getByText('In attesa di conferma')).toBeVisible()
  await expect(page.getByRole('list', { name: 'I tuoi indirizzi' })).toContainText(next)

  const phone = await elsewhere()
  await phone.goto(linkTo('/auth/confirm', await newestMail(account.email, 2)))
  await phone.getByRole('button', { name: 'Conferma indirizzo' }).click()
  await expect(phone.getByRole('heading', { name: 'Manca un passo' })).toBeVisible()
  await phone.goto(linkTo('/auth/confirm', await newestMail(next)))
  await phone.getByRole('button', { name: 'Conferma indirizzo' }).click()
  await expect(phone).toHaveURL('/home')

  await page.reload()
  const addresses = page.getByRole('list', { name: 'I tuoi indirizzi' })
  await expect(addresses.getByRole('listitem')).toHaveCount(1)
  await expect(addresses).toContainText(next)
})

test('a new address is confirmed by the codes of the two mails', async ({ page, account }) => {
  const next = `nuova-${account.email}`
  await page.goto('/settings/profile')
  await page.getByLabel('Nuovo indirizzo email').fill(next)
  await page.getByRole('button', { name: 'Cambia indirizzo' }).click()
  await page.getByRole('link', { name: 'Ho un codice' }).click()

  const confirm = async (address: string, code: string) => {
    await page.getByLabel('Indirizzo che ha ricevuto l’email').fill(address)
    await page.getByLabel('Codice di sei cifre').fill(code)
    await page.getByRole('button', { name: 'Conferma indirizzo' }).click()
  }
  await confirm(account.email, codeIn(await newestMail(account.email, 2)))
  await expect(page.getByRole('heading', { name: 'Manca un passo' })).toBeVisible()
  await page.getByRole('button', { name: 'Inserisci l’altro codice' }).click()
  await confirm(next, codeIn(await newestMail(next)))
  await expect(page).toHaveURL('/home')
  await page.goto('/settings/profile')
  await expect(page.getByRole('list', { name: 'I tuoi indirizzi' }).getByRole('listitem')).toHaveCount(1)
})

test('the password changes by the rules of registration and the old one is refused', async ({
  page,
  account,
  console,
}) => {
  console.allow(refused)
  await page.goto('/settings/security')
  const password = page.getByLabel('Nuova password', { exact: true })
  const change = page.getByRole('button', { name: 'Cambia password' })
  await password.fill('corta')
  await page.getByLabel('Conferma password').fill('altra')
  await change.click()
  await expect(page.getByText('Password deve essere almeno 8 caratteri')).toBeVisible()
  await expect(page.getByText('Le password non coincidono')).toBeVisible()

  await password.fill(account.password)
  await page.getByLabel('Conferma password').fill(account.password)
  await change.click()
  await expect(page.getByText('La nuova password deve essere diversa da quella attuale.')).toBeVisible()

  await password.fill('Nuova-Password-2')
  await page.getByLabel('Conferma password').fill('Nuova-Password-2')
  await change.click()
  await expect(page.getByText('Password aggiornata')).toBeVisible()
  await expect(password).toHaveValue('')
  await expect(signIn(account)).rejects.toThrow('invalid_credentials')
})

test('another device is seen and signed out, which it notices @journey', async ({
  page,
  account,
  elsewhere,
  console,
}) => {
  console.allow(refused)
  const other = await elsewhere()
  await other.goto('/login')
  await other.getByLabel('Email').fill(account.email)
  await other.getByLabel('Password', { exact: true }).fill(account.password)
  await other.getByRole('button', { name: 'Accedi', exact: true }).click()
  await expect(other).toHaveURL('/home')

  await page.goto('/settings/security')
  const devices = page.getByRole('list', { name: 'Dispositivi' })
  await expect(devices.getByRole('listitem')).toHaveCount(2)
  await expect(devices.getByText('Questo dispositivo')).toHaveCount(1)
  await devices.getByRole('button', { name: /^Esci da qui/ }).click()
  await expect(page.getByText('Dispositivo disconnesso')).toBeVisible()
  await expect(devices.getByRole('listitem')).toHaveCount(1)

  await other.goto('/notifications')
  await expect(other).toHaveURL('/login')
})

test('all the others are signed out at once, then everything', async ({ page, account }) => {
  await signIn(account)
  await page.goto('/settings/security')
  const devices = page.getByRole('list', { name: 'Dispositivi' })
  await expect(devices.getByRole('listitem')).toHaveCount(2)
  await page.getByRole('button', { name: 'Esci da tutti gli altri' }).click()
  await expect(devices.getByRole('listitem')).toHaveCount(1)

  await page.getByRole('button', { name: 'Esci ovunque' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Esci ovunque' }).click()
  await expect(page).toHaveURL('/login')
  expect(await page.evaluate((key) => localStorage.getItem(key), sessionKey)).toBeNull()
})
