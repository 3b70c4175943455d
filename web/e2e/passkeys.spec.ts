/**
 * Passkeys, with Chromium's virtual authenticator as the device.
 */
import type { Page } from '@playwright/test'

import { createAccount } from './support/accounts'
import { expect, test } from './support/test'

/** A fingerprint reader in the device, or a key beside it, whose owner always agrees. */
async function attachAuthenticator(page: Page, transport: 'internal' | 'usb'): Promise<void> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport,
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
}

test('somebody adds a passkey, names it, logs in with it and deletes it', async ({ page }) => {
  const account = await createAccount({ onboarded: true })
  await attachAuthenticator(page, 'internal')
  await page.goto('/login')
  await page.getByLabel('Email').fill(account.email)
  await page.getByLabel('Password', { exact: true }).fill(account.password)
  await page.getByRole('button', { name: 'Accedi', exact: true }).click()
  await expect(page).toHaveURL('/home')

  const passkeys = page.getByRole('list', { name: 'Passkey' })
  await test.step('adds and names it', async () => {
    await page.goto('/settings/security')
    await expect(page.getByText('Non ne hai ancora.')).toBeVisible()
    await page.getByRole('button', { name: 'Aggiungi una passkey' }).click()
    await page.getByLabel('Nome').fill('Portatile')
    await page.getByRole('button', { name: 'Continua' }).click()
    await expect(passkeys.getByRole('listitem')).toContainText('Portatile')
    await expect(passkeys).toContainText('mai usata')
  })

  await test.step('renames it', async () => {
    await page.getByRole('button', { name: 'Rinomina Portatile' }).click()
    await page.getByLabel('Nome').fill('Portatile di lavoro')
    await page.getByRole('button', { name: 'Salva' }).click()
    await expect(passkeys).toContainText('Portatile di lavoro')
  })

  await test.step('logs in with it, without a password', async () => {
    await page.getByRole('button', { name: 'Logout' }).click()
    await expect(page).toHaveURL('/login')
    await page.getByRole('button', { name: 'Accedi con una passkey' }).click()
    await expect(page.getByText('Login effettuato con successo!')).toBeVisible()
    await expect(page).toHaveURL('/home')
  })

  await test.step('deletes it', async () => {
    await page.goto('/settings/security')
    await expect(passkeys).toContainText('usata adesso')
    await page.getByRole('button', { name: 'Elimina Portatile di lavoro' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Elimina' }).click()
    await expect(page.getByText('Non ne hai ancora.')).toBeVisible()
  })
})

test('a security key is a second factor too', async ({ page }) => {
  const account = await createAccount({ onboarded: true })
  await attachAuthenticator(page, 'usb')
  const logIn = async () => {
    await page.goto('/login')
    await page.getByLabel('Email').fill(account.email)
    await page.getByLabel('Password', { exact: true }).fill(account.password)
    await page.getByRole('button', { name: 'Accedi', exact: true }).click()
  }
  await logIn()
  await expect(page).toHaveURL('/home')
  await page.goto('/settings/security')
  await page.getByRole('button', { name: 'Aggiungi una chiave' }).click()
  await page.getByRole('button', { name: 'Continua' }).click()
  await page.getByRole('button', { name: 'Li ho salvati' }).click()
  await expect(page.getByRole('list', { name: 'Secondi fattori' })).toContainText('Chiave di sicurezza')

  await page.getByRole('button', { name: 'Logout' }).click()
  // Leaving the page would take the logout along.
  await expect(page).toHaveURL('/login')
  await logIn()
  await page.getByRole('button', { name: 'Usa la chiave di sicurezza' }).click()
  await expect(page).toHaveURL('/home')
})

test('a login without any passkey on the device is explained', async ({ page }) => {
  await attachAuthenticator(page, 'internal')
  await page.goto('/login')
  await page.getByRole('button', { name: 'Accedi con una passkey' }).click()
  await expect(page.getByText('Operazione annullata o scaduta: riprova quando vuoi.')).toBeVisible()
})
