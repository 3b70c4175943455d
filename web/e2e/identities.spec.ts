/**
 * An account elsewhere: linked, used to log in, unlinked again.
 */
import { randomUUID } from 'node:crypto'

import { answerAs, startProvider } from './support/openid'
import { expect, test } from './support/test'

test.use({ persona: 'member' })

test('somebody links an account elsewhere, logs in with it and unlinks it', async ({ page, elsewhere }) => {
  const id = randomUUID()
  const email = `${id}@openid.example`
  await startProvider({ id, name: 'Anna Bianchi', email })
  const linked = page.getByRole('list', { name: 'Account collegati' })

  await test.step('is told when the other side refuses', async () => {
    await answerAs(page, 'nobody')
    await page.goto('/settings/security')
    await page.getByRole('button', { name: 'Collega Keycloak' }).click()
    await expect(page.getByText('Non hai dato il permesso: l’accesso non è avvenuto.')).toBeVisible()
    await expect(page).toHaveURL('/settings/security')
  })

  await test.step('links it', async () => {
    await answerAs(page, id)
    await page.getByRole('button', { name: 'Collega Keycloak' }).click()
    await expect(linked).toContainText(email)
    // The tokens are gone from the address.
    await expect(page).toHaveURL(/\/settings\/security#?$/)
  })

  await test.step('logs in with it on another device', async () => {
    const other = await elsewhere()
    await answerAs(other, id)
    await other.goto('/login')
    await other.getByRole('button', { name: 'Continua con Keycloak' }).click()
    await expect(other).toHaveURL('/home')
    await expect(other.getByRole('heading', { level: 1 })).toContainText('Anna')
  })

  await test.step('unlinks it', async () => {
    await page.getByRole('button', { name: 'Scollega Keycloak' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Scollega' }).click()
    await expect(page.getByText('Account scollegato')).toBeVisible()
    await expect(linked).not.toContainText(email)
    await expect(page.getByRole('button', { name: 'Collega Keycloak' })).toBeVisible()
  })
})
