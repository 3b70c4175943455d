/**
 * axe finds nothing on any screen in either theme, and no screen scrolls sideways on a small phone.
 */

import { AuthenticatorApp } from './support/authenticator-app'
import { expectAccessible, expectNoSidewaysScroll } from './support/axe'
import { open, screens } from './support/screens'
import { expect, type Persona, test } from './support/test'

const SCREENS_IN_A_TEST = 5

/** One account walks a few screens: signing up for each would take longer than looking. */
const walks = (persona: Persona) =>
  Array.from({ length: Math.ceil(screens[persona].length / SCREENS_IN_A_TEST) }, (_, number) =>
    screens[persona].slice(number * SCREENS_IN_A_TEST, (number + 1) * SCREENS_IN_A_TEST),
  )

for (const persona of Object.keys(screens) as Persona[]) {
  test.describe(`what the ${persona} sees @journey`, () => {
    test.use({ persona, viewport: { width: 360, height: 740 } })

    for (const walk of walks(persona)) {
      test(`is accessible and fits a phone: ${walk.map(({ path }) => path).join(' ')}`, async ({ page, console }) => {
        console.allow(/404/)
        for (const screen of walk) {
          await test.step(screen.path, async () => {
            await open(page, screen)
            await expectNoSidewaysScroll(page)
            await expectAccessible(page)
          })
        }
      })
    }
  })
}

test.describe('the open popover', () => {
  test.use({ persona: 'member' })

  test('is accessible', async ({ page }) => {
    await page.goto('/home')
    await page
      .getByRole('banner')
      .getByRole('button', { name: /Notifiche/ })
      .click()
    await expect(
      page
        .getByRole('dialog')
        .getByText(/benvenuto/)
        .first(),
    ).toBeVisible()
    await expectAccessible(page)
  })
})

test('wrong fields and a toast are accessible', async ({ page, console }) => {
  console.allow(/the server responded with a status of 400/)
  await page.goto('/register')
  await page.getByLabel('Password', { exact: true }).fill('Prova')
  await page.getByRole('button', { name: 'Crea account' }).click()
  await expect(page.getByText('Email non valida')).toBeVisible()
  await expectAccessible(page)

  await page.goto('/login')
  await page.getByLabel('Email').fill('nessuno@e2e.example')
  await page.getByLabel('Password', { exact: true }).fill('Sbagliata-1')
  await page.getByRole('button', { name: 'Accedi', exact: true }).click()
  await expect(page.getByRole('button', { name: 'Recupera password' })).toBeVisible()
  await expectAccessible(page)
})

test.describe('the store', () => {
  test.use({ persona: 'member', viewport: { width: 360, height: 740 } })

  test('is accessible with its plans and its form', async ({ page }) => {
    await page.goto('/store')
    await page.getByRole('tab', { name: 'Rinnovo Automatico' }).click()
    await expect(page.getByRole('button', { name: 'Piano Attuale' })).toBeVisible()
    await expectNoSidewaysScroll(page)
    await expectAccessible(page)

    await page.getByRole('tab', { name: 'Crediti (Top-Up)' }).click()
    await page.getByRole('button', { name: 'Blocca il Tuo Mese' }).click()
    await page.getByRole('radio', { name: 'Partita IVA' }).check()
    await page.getByRole('button', { name: 'Vai al pagamento' }).click()
    await expect(page.getByText('Partita IVA non valida')).toBeVisible()
    await expectAccessible(page)
  })
})

test.describe('the second factor', () => {
  test.use({ persona: 'member', viewport: { width: 360, height: 740 } })

  test('is accessible from its enrolment to its question', async ({ page, account }) => {
    await page.goto('/settings/security')
    await page.getByRole('button', { name: 'Aggiungi un’app' }).click()
    const dialog = page.getByRole('dialog')
    await expect(dialog.getByRole('img')).toBeVisible()
    await expectAccessible(page)

    const app = new AuthenticatorApp(await dialog.locator('code').innerText())
    await dialog.getByLabel('Codice di sei cifre').fill(app.code())
    await dialog.getByRole('button', { name: 'Attiva' }).click()
    await expect(dialog.getByRole('listitem')).toHaveCount(10)
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Li ho salvati' }).click()
    await page.getByRole('button', { name: 'Togli App di autenticazione' }).click()
    await expect(page.getByRole('dialog')).toBeVisible()
    await expectAccessible(page)
    await page.keyboard.press('Escape')

    await page.getByRole('button', { name: 'Logout' }).click()
    await page.getByLabel('Email').fill(account.email)
    await page.getByLabel('Password', { exact: true }).fill(account.password)
    await page.getByRole('button', { name: 'Accedi', exact: true }).click()
    await expect(page.getByRole('button', { name: 'Codice di recupero' })).toBeVisible()
    await expectNoSidewaysScroll(page)
    await expectAccessible(page)
  })
})

test.describe('the onboarding', () => {
  test.use({ persona: 'newcomer', viewport: { width: 360, height: 740 } })

  test('is accessible in every step', async ({ page }) => {
    await page.goto('/onboarding')
    for (const title of ['Importa', 'Canali', 'Primo risultato']) {
      await page.getByRole('button', { name: 'Continua' }).click()
      await expect(page.getByRole('heading', { name: title })).toBeVisible()
      await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
      await expectNoSidewaysScroll(page)
      await expectAccessible(page)
    }
  })
})
