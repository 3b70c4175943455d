/**
 * A session outlives reloads and expired access tokens, and ends everywhere at once.
 */
import { expect, sessionKey, test } from './support/test'

test.use({ persona: 'member' })

test('a reload keeps the person signed in', async ({ page }) => {
  await page.goto('/home')
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Anna')
  await page.reload()
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Anna')
  await expect(page).toHaveURL('/home')
})

test('an expired access token is refreshed before anything is asked for', async ({ page, account }) => {
  await page.goto('/notifications')
  await expect(
    page
      .getByRole('main')
      .getByText(/benvenuto/)
      .first(),
  ).toBeVisible()
  await page.evaluate((key) => {
    const session = JSON.parse(localStorage.getItem(key) ?? '{}') as Record<string, unknown>
    // Expired an hour ago, and unreadable too: only a refresh can bring rows.
    localStorage.setItem(
      key,
      JSON.stringify({
        ...session,
        access_token: `${String(session.access_token)}x`,
        expires_at: Date.now() / 1000 - 3600,
      }),
    )
  }, sessionKey)

  const refreshed = page.waitForResponse((response) => response.url().includes('grant_type=refresh_token'))
  await page.reload()
  expect((await refreshed).status()).toBe(200)
  await expect(
    page
      .getByRole('main')
      .getByText(/benvenuto/)
      .first(),
  ).toBeVisible()
  const stored = await page.evaluate((key) => localStorage.getItem(key), sessionKey)
  expect((JSON.parse(stored ?? '{}') as { refresh_token: string }).refresh_token).not.toBe(
    account.session.refresh_token,
  )
})

test('a session that cannot be refreshed ends at the login', async ({ page, console }) => {
  console.allow(/the server responded with a status of 400/)
  await page.goto('/home')
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Anna')
  await page.evaluate((key) => {
    const session = JSON.parse(localStorage.getItem(key) ?? '{}') as Record<string, unknown>
    localStorage.setItem(key, JSON.stringify({ ...session, refresh_token: 'finto', expires_at: 1 }))
  }, sessionKey)
  await page.reload()
  await expect(page).toHaveURL('/login')
})

test('logging out in one tab logs out the other', async ({ page, context }) => {
  const other = await context.newPage()
  await page.goto('/home')
  await other.goto('/notifications')
  await expect(other.getByRole('main')).toContainText(/benvenuto/)

  await page.getByRole('button', { name: 'Logout' }).click()
  await expect(page.getByText('Logout effettuato con successo!')).toBeVisible()
  await expect(other).toHaveURL('/login')
})
