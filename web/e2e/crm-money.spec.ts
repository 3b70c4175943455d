/** What contacts owe, in the list and on their page: who owes, since when, and the way to the invoices. */
import { addInvoices } from './support/accounts'
import { expectAccessible, expectNoSidewaysScroll } from './support/axe'
import { daysFromNow } from './support/days'
import { expect, test } from './support/test'

test.use({ persona: 'member' })

test('a debtor comes first in the list, and their page says since when they owe @journey', async ({
  page,
  account,
}) => {
  await page.goto('/crm')
  for (const [name, phone] of [
    ['Anna', '347 1234567'],
    ['Bruno', '051123456'],
  ] as const) {
    await page
      .getByRole('button', { name: /^(Nuovo|Aggiungi il primo contatto)$/ })
      .first()
      .click()
    const form = page.getByRole('dialog')
    await form.getByLabel('Nome', { exact: true }).fill(name)
    await form.getByLabel('Telefono').fill(phone)
    await form.getByRole('button', { name: 'Aggiungi contatto' }).click()
    await expect(page.getByRole('heading', { level: 1, name })).toBeVisible()
    if (name === 'Anna') await page.goto('/crm')
  }
  const contactId = new URL(page.url()).pathname.split('/').at(-1) ?? ''
  await addInvoices(account, [
    { issued_on: daysFromNow(-60), total_cents: 120_000, due_on: daysFromNow(-23), contact_id: contactId },
    { issued_on: daysFromNow(-10), total_cents: 307_000, due_on: daysFromNow(20), contact_id: contactId },
  ])

  await page.goto('/crm')
  await page.getByRole('combobox', { name: 'Ordine' }).selectOption('Chi ti deve di più')
  const names = page.getByRole('table', { name: 'Contatti' }).getByRole('link', { name: /^(Anna|Bruno)$/ })
  await expect(names).toHaveText(['Bruno', 'Anna'])
  await expect(page.getByText('4.270,00')).toBeVisible()
  await expect(page.getByText('+39 051 123456')).toBeVisible()
  await expectAccessible(page)

  await names.first().click()
  const money = page.getByRole('region', { name: 'Fatture emesse in EUR' })
  await expect(money).toContainText(/Ti deve4\.270,00\s€di cui 1\.200,00\s€ in ritardo, da 23 giorni/)
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Tutte le fatture' }).click()
  await expect(page.getByText('Solo le fatture di Bruno')).toBeVisible()
  await expect(page.getByRole('list', { name: 'Fatture' }).getByRole('listitem')).toHaveCount(2)
  await page.getByRole('button', { name: 'Mostra tutti i contatti' }).click()
  await expect(page.getByText('Solo le fatture di Bruno')).toBeHidden()
})

test.describe('on a small phone', () => {
  test.use({ viewport: { width: 360, height: 740 } })

  test('the list takes two lines for each contact and fits', async ({ page }) => {
    await page.goto('/crm')
    await page.getByRole('button', { name: 'Prova con dati di esempio' }).click()
    await expect(page.getByText('Mai sentito').first()).toBeVisible()
    await expectNoSidewaysScroll(page)
    await expectAccessible(page)
  })
})
