/**
 * The second factor: from its enrolment over the login to the day the phone is lost.
 */
import type { Page } from '@playwright/test'

import { addSecondFactor } from './support/accounts'
import { AuthenticatorApp } from './support/authenticator-app'
import { linkTo, newestMail } from './support/mailbox'
import { expect, sessionKey, test } from './support/test'

const refused = /the server responded with a status of 4\d\d/

async function logIn(page: Page, { email, password }: { email: string; password: string }): Promise<void> {
  await page.goto('/login')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Accedi', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Conferma che sei tu' })).toBeVisible()
}

async function logOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Logout' }).click()
  await expect(page).toHaveURL('/login')
}

test.describe('somebody with a password only', () => {
  test.use({ persona: 'member' })

  test('adds an app, logs in with its code, and with a recovery code when the phone is lost', async ({
    page,
    account,
    console,
  }) => {
    console.allow(refused)
    await page.goto('/settings')
    await page.getByRole('link', { name: /^Sicurezza/ }).click()

    const app = await test.step('scans the code and proves it', async () => {
      // Given up once: the second try starts afresh.
      await page.getByRole('button', { name: 'Aggiungi un’app' }).click()
      await expect(page.getByRole('dialog').getByRole('img')).toBeVisible()
      await page.getByRole('button', { name: 'Chiudi' }).click()
      await page.getByRole('button', { name: 'Aggiungi un’app' }).click()
      const dialog = page.getByRole('dialog')
      const image = dialog.getByRole('img', { name: 'Codice QR' })
      await expect.poll(() => image.evaluate((each: HTMLImageElement) => each.naturalWidth)).toBeGreaterThan(0)
      await dialog.getByLabel('Codice di sei cifre').fill('000000')
      await dialog.getByRole('button', { name: 'Attiva' }).click()
      await expect(dialog.getByRole('alert')).toContainText('Il codice non è giusto')
      const added = new AuthenticatorApp(await dialog.locator('code').innerText())
      await dialog.getByLabel('Codice di sei cifre').fill(added.code())
      await dialog.getByRole('button', { name: 'Attiva' }).click()
      return added
    })

    const codes = await test.step('saves ten recovery codes, shown once', async () => {
      const dialog = page.getByRole('dialog', { name: 'Salva i codici di recupero' })
      await expect(dialog.getByRole('listitem')).toHaveCount(10)
      const shown = await dialog.getByRole('listitem').allInnerTexts()
      await page.keyboard.press('Escape')
      await expect(dialog).toBeVisible()
      const download = page.waitForEvent('download')
      await dialog.getByRole('button', { name: 'Scarica come testo' }).click()
      expect((await download).suggestedFilename()).toBe('socio-codici-di-recupero.txt')
      await dialog.getByRole('button', { name: 'Li ho salvati' }).click()
      await expect(page.getByText('Ne restano 10 su 10')).toBeVisible()
      return shown
    })

    await test.step('logs in with the code of the app', async () => {
      await logOut(page)
      await logIn(page, account)
      await page.goto('/home')
      await expect(page).toHaveURL('/login/verifica')
      await page.getByLabel('Codice di sei cifre').fill(app.code())
      await page.getByRole('button', { name: 'Continua' }).click()
      await expect(page.getByText('Login effettuato con successo!')).toBeVisible()
      await expect(page).toHaveURL('/home')
    })

    await test.step('logs in with a recovery code, which then is used up', async () => {
      await logOut(page)
      await logIn(page, account)
      await page.getByRole('button', { name: 'Codice di recupero' }).click()
      await page.getByLabel('Codice di recupero').fill(codes[0]?.toUpperCase() ?? '')
      await page.getByRole('button', { name: 'Continua' }).click()
      await expect(page).toHaveURL('/home')
      await page.goto('/settings/security')
      await expect(page.getByText('Ne restano 9 su 10')).toBeVisible()
    })

    const factors = page.getByRole('list', { name: 'Secondi fattori' })
    await test.step('replaces the lost app by a new one', async () => {
      await expect(page.getByText('Hai usato un codice di recupero per entrare.')).toBeVisible()
      await page.getByRole('button', { name: 'Togli App di autenticazione' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Aggiungi un’app' }).click()
      const dialog = page.getByRole('dialog', { name: 'Aggiungi un’app di autenticazione' })
      const added = new AuthenticatorApp(await dialog.locator('code').innerText())
      await dialog.getByLabel('Codice di sei cifre').fill(added.code())
      await dialog.getByRole('button', { name: 'Attiva' }).click()
      await expect(factors.getByRole('listitem')).toHaveCount(2)
      await page.getByRole('button', { name: 'Togli App di autenticazione', exact: true }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Togli' }).click()
      await expect(factors.getByRole('listitem')).toHaveText(/App di autenticazione 2/)
      await expect(page.getByText('Ne restano 9 su 10')).toBeVisible()
    })

    await test.step('takes the last factor away, and the codes with it', async () => {
      await page.getByRole('button', { name: 'Togli App di autenticazione 2' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Togli' }).click()
      await expect(page.getByText('Non è ancora attiva.')).toBeVisible()
      await expect(page.getByText(/Ne restano/)).toBeHidden()
      await page.goto('/home')
      await expect(page.getByRole('heading', { level: 1 })).toContainText('Anna')
    })
  })

  test('cannot be skipped by closing the question: the account stays closed until it is answered', async ({
    page,
    account,
    elsewhere,
  }) => {
    await addSecondFactor(account)
    const other = await elsewhere()
    await logIn(other, account)
    for (const path of ['/', '/home', '/settings/security', '/admin', '/login', '/onboarding']) {
      await test.step(path, async () => {
        await other.goto(path)
        await expect(other).toHaveURL('/login/verifica')
      })
    }
    await expect(other.getByRole('navigation', { name: 'Principale' })).toBeHidden()
    const stored = await other.evaluate((key) => localStorage.getItem(key), sessionKey)
    const { access_token: token } = JSON.parse(stored ?? '') as { access_token: string }
    const headers = { Authorization: `Bearer ${token}` }
    expect((await other.request.get('/rest/v1/tasks', { headers })).status()).toBe(403)
    // What is public is asked for without the token.
    const [catalog] = await Promise.all([
      other.waitForResponse((response) => response.url().includes('/rest/v1/')),
      other.goto('/store'),
    ])
    expect(catalog.ok(), catalog.url()).toBe(true)
    await other.goto('/login/verifica')
    await other.getByRole('button', { name: 'Esci e accedi con un altro account' }).click()
    await expect(other).toHaveURL('/login')
    await page.goto('/login/verifica')
    await expect(page).not.toHaveURL('/login/verifica')
  })

  test('is asked for it before a forgotten password is replaced', async ({ account, elsewhere }) => {
    const app = await addSecondFactor(account)
    const page = await elsewhere()
    await page.goto('/forgot-password')
    await page.getByLabel('Email').fill(account.email)
    await page.getByRole('button', { name: 'Invia' }).click()
    await expect(page.getByRole('heading', { name: 'Email Inviata!' })).toBeVisible()
    // Before it came the confirmation and the notice about the new factor.
    const mail = await newestMail(account.email, 3)
    await page.goto(linkTo('/reset-password', mail))
    await page.getByLabel('Nuova password', { exact: true }).fill('Nuova-Password-2')
    await page.getByLabel('Conferma password').fill('Nuova-Password-2')
    await page.getByRole('button', { name: 'Salva la nuova password' }).click()
    await page.getByLabel('Codice di sei cifre').fill(app.code())
    await page.getByRole('button', { name: 'Continua' }).click()
    await expect(page.getByText('Password aggiornata')).toBeVisible()
    await expect(page).toHaveURL('/home')
  })
})
