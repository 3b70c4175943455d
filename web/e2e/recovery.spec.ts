/**
 * Forgot and reset: the link is spent only by the new password, never by opening it.
 */
import { invite, stranger } from './support/accounts'
import { codeIn, linkTo, newestMail } from './support/mailbox'
import { expect, test } from './support/test'
import type { Page } from '@playwright/test'

const badRequest = /the server responded with a status of 4\d\d/

async function askForLink(page: Page, email: string): Promise<string> {
  await page.goto('/forgot-password')
  await page.getByLabel('Email').fill(email)
  await page.getByRole('button', { name: 'Invia' }).click()
  await expect(page.getByText('Email di reset inviata! Controlla la tua casella.')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Email Inviata!' })).toBeVisible()
  await expect(page.getByText('Controlla la tua casella email per il link di reset password.')).toBeVisible()
  // The first mail of the account was the confirmation.
  return linkTo('/reset-password', await newestMail(email, 2))
}

async function choosePassword(page: Page, password: string): Promise<void> {
  await page.getByLabel('Nuova password', { exact: true }).fill(password)
  await page.getByLabel('Conferma password').fill(password)
  await page.getByRole('button', { name: 'Salva la nuova password' }).click()
}

test('somebody invited chooses a password with the link, and comes back with it', async ({ page, elsewhere }) => {
  const person = stranger()
  await invite(person)
  await page.goto(linkTo('/auth/confirm', await newestMail(person.email)))
  await expect(page.getByRole('heading', { name: 'Scegli la tua password' })).toBeVisible()
  await page.getByLabel('Password', { exact: true }).fill(person.password)
  await page.getByLabel('Conferma password').fill(person.password)
  await page.getByRole('button', { name: 'Accetta l’invito' }).click()
  await expect(page).toHaveURL('/onboarding')

  const later = await elsewhere()
  await later.goto('/login')
  await later.getByLabel('Email').fill(person.email)
  await later.getByLabel('Password', { exact: true }).fill(person.password)
  await later.getByRole('button', { name: 'Accedi', exact: true }).click()
  await expect(later).toHaveURL('/onboarding')
})

test.describe('somebody who forgot the password', () => {
  // The account exists, but this browser is not signed in.
  test.use({ persona: 'member', storageState: { cookies: [], origins: [] } })

  test('chooses a new one through the mail and the old one is refused @journey', async ({
    page,
    account,
    elsewhere,
    console,
  }) => {
    console.allow(badRequest)
    // A browser without anything stored gets the guided tour on /home, over the button.
    await page.addInitScript(() => localStorage.setItem('tour_completed', 'true'))
    const link = await askForLink(page, account.email)

    await test.step('opening the link elsewhere spends nothing', async () => {
      const scanner = await elsewhere()
      await scanner.goto(link)
      await expect(scanner.getByLabel('Nuova password', { exact: true })).toBeVisible()
    })

    await page.goto(link)
    await choosePassword(page, 'Nuova-Password-2')
    await expect(page.getByText('Password aggiornata')).toBeVisible()
    await expect(page).toHaveURL('/home')

    await page.getByRole('button', { name: 'Logout' }).click()
    await expect(page).toHaveURL('/login')
    await page.getByLabel('Email').fill(account.email)
    await page.getByLabel('Password', { exact: true }).fill(account.password)
    await page.getByRole('button', { name: 'Accedi', exact: true }).click()
    await expect(page.getByText('Email o password errati. Hai dimenticato la password?')).toBeVisible()
  })

  test('is told in words when the link was used before, and gets a way to a new one', async ({
    page,
    account,
    elsewhere,
    console,
  }) => {
    console.allow(badRequest)
    const link = await askForLink(page, account.email)
    const phone = await elsewhere()
    await phone.goto(link)
    await choosePassword(phone, 'Nuova-Password-2')
    await expect(phone).toHaveURL('/home')

    await page.goto(link)
    await choosePassword(page, 'Nuova-Password-3')
    await expect(page.getByText('Il link o il codice è scaduto oppure è già stato usato.')).toBeVisible()
    await page.getByRole('link', { name: 'Richiedi un nuovo link' }).click()
    await expect(page).toHaveURL('/forgot-password')
  })

  test('gets there with the six digits of the mail too', async ({ page, account }) => {
    await askForLink(page, account.email)
    await page.getByRole('link', { name: 'Inserisci il codice dell’email' }).click()
    await expect(page.getByLabel('Email')).toHaveValue(account.email)
    await page.getByLabel('Codice di sei cifre').fill(codeIn(await newestMail(account.email, 2)))
    await page.getByRole('button', { name: 'Continua' }).click()
    await choosePassword(page, 'Nuova-Password-2')
    await expect(page).toHaveURL('/home')
  })

  test('sees the rules of registration under the new password', async ({ page, account }) => {
    await page.goto(await askForLink(page, account.email))
    await page.getByLabel('Nuova password', { exact: true }).fill('minuscole1')
    await page.getByLabel('Conferma password').fill('altro')
    await page.getByRole('button', { name: 'Salva la nuova password' }).click()
    await expect(page.getByText('Password deve contenere almeno una maiuscola')).toBeVisible()
    await expect(page.getByText('Le password non coincidono')).toBeVisible()
  })
})

test('an unknown address gets the same answer as a known one', async ({ page }) => {
  await page.goto('/forgot-password')
  await page.getByLabel('Email').fill('nessuno@e2e.example')
  await page.getByRole('button', { name: 'Invia' }).click()
  await expect(page.getByRole('heading', { name: 'Email Inviata!' })).toBeVisible()
  await page.getByRole('link', { name: 'Torna al login' }).click()
  await expect(page).toHaveURL('/login')
})

test('the reset page without a link says where to get one', async ({ page }) => {
  await page.goto('/reset-password')
  await page.getByRole('link', { name: 'Richiedi un nuovo link' }).click()
  await expect(page).toHaveURL('/forgot-password')
})
