/**
 * The bell, its popover and the notifications page, on rows written by the server.
 */
import { notify } from './support/accounts'
import { expect, test } from './support/test'

test.use({ persona: 'member' })

test.beforeEach(async ({ account }) => {
  await notify(account, {
    title: 'Preventivo accettato',
    message: 'Rossi Srl ha accettato.',
    type: 'success',
    action_url: '/crm',
  })
  await notify(account, { title: 'Scadenza vicina', message: 'F24 tra tre giorni.', type: 'warning' })
})

test('the popover lists the newest, and a click reads one and goes where it leads', async ({ page }) => {
  await page.goto('/home')
  const bell = page.getByRole('banner').getByRole('button', { name: /Notifiche/ })
  await expect(bell).toContainText('3')
  await bell.click()
  const popover = page.getByRole('dialog')
  await expect(popover.getByText('Notifiche', { exact: true })).toBeVisible()
  await expect(popover.getByText('Scadenza vicina')).toBeVisible()
  await popover.getByText('Preventivo accettato').click()
  await expect(page).toHaveURL('/crm')
  await expect(bell).toContainText('2')
})

test('all are marked read at once', async ({ page }) => {
  await page.goto('/home')
  const bell = page.getByRole('banner').getByRole('button', { name: /Notifiche/ })
  await bell.click()
  await page.getByRole('button', { name: 'Segna tutte come lette' }).click()
  await expect(page.getByText('Tutte le notifiche sono state segnate come lette')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Segna tutte come lette' })).toBeHidden()
  await expect(bell).not.toContainText('3')
  await page.reload()
  await expect(page.getByRole('banner').getByRole('button', { name: /Notifiche/ })).not.toContainText(/\d/)
})

test('the page reads one, deletes one, and the rows stay so after a reload @journey', async ({ page }) => {
  await page.goto('/home')
  await page
    .getByRole('banner')
    .getByRole('button', { name: /Notifiche/ })
    .click()
  await page.getByRole('dialog').getByRole('link', { name: 'Vedi tutte le notifiche' }).click()
  await expect(page).toHaveURL('/notifications')

  const row = page.getByRole('main').getByRole('listitem').filter({ hasText: 'Scadenza vicina' })
  await row.getByRole('button', { name: /Segna come letta/ }).click()
  await expect(row.getByRole('button', { name: /Segna come letta/ })).toBeHidden()
  await row.getByRole('button', { name: /Elimina/ }).click()
  await expect(row).toBeHidden()

  await page.reload()
  await expect(page.getByRole('main').getByText('Preventivo accettato')).toBeVisible()
  await expect(row).toBeHidden()
})
