/**
 * The bell, its popover and the notifications page, on rows written by the server.
 */
import { addInvoices, notify } from './support/accounts'
import { daysFromNow } from './support/days'
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

test('several are deleted at once and come back; tabs show one family @journey', async ({ page, account }) => {
  await notify(account, {
    title: 'Fattura 12 scaduta',
    message: 'Rossi Srl.',
    type: 'warning',
    kind: 'fattura_scaduta',
    category: 'incassi',
  })
  await page.goto('/notifications')
  const rows = page.getByRole('main').getByRole('listitem')
  await expect(rows).toHaveCount(4)
  await page.getByRole('button', { name: 'Incassi e pagamenti' }).click()
  await expect(rows).toHaveCount(1)
  await expect(rows.first()).toContainText('Fattura 12 scaduta')
  await page.getByRole('button', { name: 'Tutte', exact: true }).click()
  await page.getByRole('checkbox', { name: 'Seleziona: Scadenza vicina' }).check()
  await page.getByRole('checkbox', { name: 'Seleziona: Fattura 12 scaduta' }).check()
  await page
    .getByRole('region', { name: 'Azioni sulle notifiche selezionate' })
    .getByRole('button', { name: 'Elimina' })
    .click()
  await expect(rows).toHaveCount(2)
  await page.getByRole('button', { name: 'Annulla' }).click()
  await expect(rows).toHaveCount(4)
  await page.reload()
  await expect(rows).toHaveCount(4)
})

test('an invoice that falls due is told, and is marked paid where it is told @journey', async ({ page, account }) => {
  await addInvoices(account, [{ issued_on: '2026-10-01', total_cents: 122_000, due_on: daysFromNow(-1) }])
  // The insight of the home is the notice.
  await page.goto('/home')
  await expect(page.getByRole('main').getByText('Scaduta da un giorno')).toBeVisible()
  await page.goto('/notifications?vista=incassi')
  const row = page.getByRole('main').getByRole('listitem').filter({ hasText: 'Scaduta: Fattura 1' })
  await expect(row).toHaveCount(1)
  await row.getByRole('button', { name: /^Segna pagata/ }).click()
  await expect(page.getByText('Segnata come pagata oggi')).toBeVisible()
  await expect(row.getByRole('button', { name: /^Segna pagata/ })).toBeHidden()
  await expect(page.getByRole('main').getByRole('listitem').filter({ hasText: 'incassata' })).toBeVisible()
})

test('five ignored of a kind are too many: it is silenced, and comes back in the settings', async ({
  page,
  account,
}) => {
  for (const number of [1, 2, 3, 4, 5])
    // In their order.
    // oxlint-disable-next-line no-await-in-loop
    await notify(account, {
      title: `Promemoria: attività ${number}`,
      message: 'Scade oggi.',
      type: 'info',
      kind: 'promemoria',
      category: 'attivita',
    })
  await page.goto('/notifications')
  const question = page.getByRole('region', { name: 'Troppe di questo tipo?' })
  await question.getByRole('button', { name: 'Non avvisarmi più' }).click()
  await expect(question).toBeHidden()
  await page.getByRole('link', { name: 'Preferenze delle notifiche' }).click()
  await expect(page.getByRole('button', { name: 'Riattiva: Promemoria' })).toBeVisible()
  await page.getByRole('button', { name: 'Riattiva: Promemoria' }).click()
  await page.reload()
  await expect(page.getByRole('checkbox', { name: 'Attività: In app' })).toBeChecked()
  await expect(page.getByRole('button', { name: 'Riattiva: Promemoria' })).toBeHidden()
})

test('channels, digest, quiet hours and the briefing are chosen and kept @journey', async ({ page }) => {
  await page.goto('/settings')
  await page
    .getByRole('main')
    .getByRole('link', { name: /^Notifiche/ })
    .click()
  await page.getByRole('checkbox', { name: 'Incassi e pagamenti: Email' }).click()
  await page.getByRole('checkbox', { name: 'Briefing del mattino: Email' }).click()
  await page.getByRole('button', { name: 'Ogni ora' }).click()
  await page.getByLabel('Dalle').fill('22:30')
  await page.getByLabel('Alle', { exact: true }).focus()
  await page.getByLabel('Fuso orario').selectOption('America/New_York')
  await page.getByLabel('Briefing del mattino alle').fill('07:15')
  const saved = page.waitForResponse((response) => response.url().includes('notification_settings'))
  await page.getByLabel('Fuso orario').focus()
  await saved
  await page.reload()
  await expect(page.getByRole('checkbox', { name: 'Incassi e pagamenti: Email' })).not.toBeChecked()
  await expect(page.getByRole('button', { name: 'Ogni ora' })).toHaveAttribute('aria-pressed', 'true')
  await expect(page.getByLabel('Dalle')).toHaveValue('22:30')
  await expect(page.getByLabel('Fuso orario')).toHaveValue('America/New_York')
  await expect(page.getByLabel('Briefing del mattino alle')).toHaveValue('07:15')
  await page.getByRole('checkbox', { name: 'Ore di silenzio' }).click()
  await expect(page.getByLabel('Dalle')).toBeHidden()
})
