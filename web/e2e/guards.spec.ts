/**
 * Who may open what: guest, user before and after onboarding, admin.
 */
import type { Page } from '@playwright/test'

import { makeAdmin } from './support/accounts'
import { expect, test } from './support/test'

const privatePages = [
  '/onboarding',
  '/home',
  '/chat',
  '/crm',
  '/documents',
  '/settings',
  '/settings/profile',
  '/settings/business',
  '/settings/security',
  '/notifications',
  '/tasks',
  '/projects',
  '/admin',
]

async function expectRedirects(page: Page, from: string[], to: string): Promise<void> {
  for (const path of from) {
    await test.step(path, async () => {
      await page.goto(path)
      await expect(page).toHaveURL(to)
    })
  }
}

test.describe('a guest', () => {
  test('is sent from every private page to the login @journey', async ({ page }) => {
    await expectRedirects(page, privatePages, '/login')
    await expect(page.getByRole('navigation', { name: 'Principale' })).toBeHidden()
  })

  test('may look at the branded first page', async ({ page }) => {
    await page.goto('/')
    await expect(page.getByRole('banner').getByRole('link', { name: 'Login' })).toBeVisible()
    await expect(page.getByRole('banner').getByRole('link', { name: 'Sign Up' })).toBeVisible()
  })
})

test.describe('a user before onboarding', () => {
  test.use({ persona: 'newcomer' })

  test('is brought to the onboarding from everywhere', async ({ page }) => {
    await expectRedirects(page, ['/', '/home', '/login', '/crm'], '/onboarding')
  })
})

test.describe('a user', () => {
  test.use({ persona: 'member' })

  test('is brought from the pages for guests to the home screen', async ({ page }) => {
    await expectRedirects(page, ['/', '/login', '/register', '/forgot-password'], '/home')
  })

  test('with the role but no second factor is shown the way to one on the admin screens', async ({ page, account }) => {
    await makeAdmin(account)
    await page.goto('/admin')
    await expect(page.getByRole('heading', { name: 'Serve il secondo fattore' })).toBeVisible()
    await page.getByRole('link', { name: 'Vai a Sicurezza' }).click()
    await expect(page.getByRole('heading', { name: 'Verifica in due passaggi' })).toBeVisible()
  })

  test('is refused on the admin screens', async ({ page }) => {
    await page.goto('/admin')
    await expect(page.getByText('Accesso Negato')).toBeVisible()
    await expect(page.getByText('Non hai i permessi per accedere a questa pagina.')).toBeVisible()
  })
})

test.describe('an admin', () => {
  test.use({ persona: 'admin' })

  test('opens the admin screens @journey', async ({ page }) => {
    await page.goto('/admin')
    await expect(page.getByRole('main').getByRole('heading').first()).toBeVisible()
    await expect(page).toHaveURL('/admin')
    await expect(page.getByText('Accesso Negato')).toBeHidden()
  })
})
