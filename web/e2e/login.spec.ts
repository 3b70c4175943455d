/**
 * The public forms: what they refuse by themselves and what they say when the server refuses.
 */
import type { Route } from '@playwright/test'

import { signUp, stranger } from './support/accounts'
import { newestMail } from './support/mailbox'
import { expect, test } from './support/test'

const badRequest = /the server responded with a status of 4\d\d/

test('the login form explains wrong fields and sends nothing', async ({ page }) => {
  const requests: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/auth/v1/token')) requests.push(request.url())
  })
  await page.goto('/login')
  await page.getByLabel('Email').fill('anna')
  await page.getByLabel('Password', { exact: true }).fill('corta')
  await page.getByRole('button', { name: 'Accedi', exact: true }).click()

  await expect(page.getByText('Email non valida')).toBeVisible()
  await expect(page.getByText('Password deve essere almeno 6 caratteri')).toBeVisible()
  await expect(page.getByLabel('Email')).toBeFocused()
  expect(requests).toEqual([])
})

test('the registration form names each broken rule under its field', async ({ page }) => {
  await page.goto('/register')
  const submit = page.getByRole('button', { name: 'Crea account' })
  const password = page.getByLabel('Password', { exact: true })
  await page.getByLabel('Nome completo').fill('A')
  await page.getByLabel('Email').fill('anna@')
  await password.fill('Corta1')
  await page.getByLabel('Conferma password').fill('altra')
  await submit.click()

  await expect(page.getByText('Nome deve essere almeno 2 caratteri')).toBeVisible()
  await expect(page.getByText('Email non valida')).toBeVisible()
  await expect(page.getByText('Password deve essere almeno 8 caratteri')).toBeVisible()
  await expect(page.getByText('Le password non coincidono')).toBeVisible()
  for (const [value, message] of [
    ['minuscole1', 'Password deve contenere almeno una maiuscola'],
    ['MAIUSCOLE1', 'Password deve contenere almeno una minuscola'],
    ['SenzaCifre', 'Password deve contenere almeno un numero'],
  ] as const) {
    await password.fill(value)
    await expect(page.getByText(message)).toBeVisible()
  }
})

test('the password can be shown and hidden again', async ({ page }) => {
  await page.goto('/login')
  const password = page.getByLabel('Password', { exact: true })
  await password.fill('Prova-2026-ok')
  await expect(password).toHaveAttribute('type', 'password')
  await page.getByRole('button', { name: 'Mostra password' }).click()
  await expect(password).toHaveAttribute('type', 'text')
  await page.getByRole('button', { name: 'Nascondi password' }).click()
  await expect(password).toHaveAttribute('type', 'password')
})

test('a wrong password shows a toast that leads to the recovery @journey', async ({ page, console }) => {
  console.allow(badRequest)
  await page.goto('/login')
  await page.getByLabel('Email').fill(stranger().email)
  const password = page.getByLabel('Password', { exact: true })
  await password.fill('Sbagliata-1')
  await password.press('Enter')

  await expect(page.getByText('Errore di autenticazione')).toBeVisible()
  await expect(page.getByText('Email o password errati. Hai dimenticato la password?')).toBeVisible()
  // Whoever types on corrects it at once.
  await expect(password).toBeFocused()
  await page.getByRole('button', { name: 'Recupera password' }).click()
  await expect(page).toHaveURL('/forgot-password')
})

test('an address that is not confirmed yet can ask for the mail again', async ({ page, console }) => {
  console.allow(badRequest)
  const person = stranger()
  await signUp(person)
  await newestMail(person.email)
  await page.goto('/login')
  await page.getByLabel('Email').fill(person.email)
  await page.getByLabel('Password', { exact: true }).fill(person.password)
  await page.getByRole('button', { name: 'Accedi', exact: true }).click()

  await expect(page.getByText('Prima di accedere conferma il tuo indirizzo')).toBeVisible()
  await page.getByRole('button', { name: 'Invia di nuovo' }).click()
  await newestMail(person.email, 2)
})

test('nothing can be pressed twice while the login runs, and a lost connection is explained', async ({
  page,
  console,
}) => {
  console.allow(/net::ERR_FAILED/)
  const held: Route[] = []
  await page.route('**/auth/v1/token*', (route) => {
    held.push(route)
  })
  await page.goto('/login')
  await page.getByLabel('Email').fill('anna@e2e.example')
  await page.getByLabel('Password', { exact: true }).fill('Prova-2026-ok')
  await page.getByLabel('Password', { exact: true }).press('Enter')

  await expect(page.getByLabel('Email')).toBeDisabled()
  await expect(page.getByLabel('Password', { exact: true })).toBeDisabled()
  await expect(page.getByRole('button', { name: 'Accedi', exact: true })).toBeDisabled()
  await Promise.all(held.map((route) => route.abort()))
  await expect(page.getByText('Non riusciamo a raggiungere il server')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Accedi', exact: true })).toBeEnabled()
})
