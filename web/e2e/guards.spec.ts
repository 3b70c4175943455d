/**
 * Who may open what: guest, user before and after onboarding, admin.
 */
import { expect, test } from './support/test'

const privatePages = [
  '/onboarding',
  '/home',
  '/chat',
  '/crm',
  '/documents',
  '/settings',
  '/settings/profile',
  '/notifications',
  '/tasks',
  '/projects',
  '/admin',
]

test.describe('a guest', () => {
  for (const path of privatePages) {
    test(`is sent from ${path} to the login`, async ({ page }) => {
      await page.goto(path)
      await expect(page).toHaveURL('/login')
      await expect(page.getByRole('navigation', { name: 'Principale' })).toBeHidden()
    })
  }

  test('may look at the branded first page', async ({ page }) => {
    await page.goto('/')
    await expect(page.getByRole('link', { name: 'Login' }).first()).toBeVisible()
    await expect(page.getByRole('link', { name: 'Sign Up' }).first()).toBeVisible()
  })
})

test.describe('a user before onboarding', () => {
  test.use({ persona: 'newcomer' })

  for (const path of ['/', '/home', '/login', '/crm']) {
    test(`is brought from ${path} to the onboarding`, async ({ page }) => {
      await page.goto(path)
      await expect(page).toHaveURL('/onboarding')
    })
  }
})

test.describe('a user', () => {
  test.use({ persona: 'member' })

  for (const path of ['/', '/login', '/register', '/forgot-password']) {
    test(`is brought from ${path} to the home screen`, async ({ page }) => {
      await page.goto(path)
      await expect(page).toHaveURL('/home')
    })
  }

  test('is refused on the admin screens', async ({ page }) => {
    await page.goto('/admin')
    await expect(page.getByText('Accesso Negato')).toBeVisible()
    await expect(page.getByText('Non hai i permessi per accedere a questa pagina.')).toBeVisible()
  })
})

test.describe('an admin', () => {
  test.use({ persona: 'admin' })

  test('opens the admin screens', async ({ page }) => {
    await page.goto('/admin')
    await expect(page.getByRole('main').getByRole('heading').first()).toBeVisible()
    await expect(page).toHaveURL('/admin')
    await expect(page.getByText('Accesso Negato')).toBeHidden()
  })
})
