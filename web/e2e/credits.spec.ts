/**
 * /settings/credits on the rows of a real account: figures, statement, file, limits; and the dialog that the limits set.
 */
import { readFileSync } from 'node:fs'

import type { Page } from '@playwright/test'

import type { Account } from './support/accounts'
import { expectAccessible } from './support/axe'
import { readStack } from './support/stack'
import { expect, test } from './support/test'

test.use({ persona: 'member' })

const digits = (text: string | null) => Number((text ?? '').replaceAll(/\D/g, ''))

test('the figures, the statement and the file say the same @journey', async ({ page }) => {
  await page.goto('/settings')
  await page.getByRole('link', { name: /^Crediti Saldo/ }).click()
  await expect(page.getByRole('heading', { name: 'Crediti', exact: true })).toBeVisible()

  const balance = digits(await page.getByRole('definition').first().textContent())
  expect(balance).toBeGreaterThanOrEqual(100)
  await expect(page.getByRole('link', { name: /crediti: apri lo store/ })).toContainText(String(balance))
  const rows = page.getByRole('table').getByRole('row')
  await expect(rows.filter({ hasText: 'Crediti di benvenuto' })).toContainText('+100')
  expect(digits(await rows.nth(1).getByRole('cell').last().textContent())).toBe(balance)
  const lots = page.getByRole('list', { name: 'Lotti' }).getByRole('listitem')
  await expect(lots.first()).toBeVisible()

  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Scarica CSV' }).click()
  const file = await download
  expect(file.suggestedFilename()).toBe('socio-estratto-crediti.csv')
  const lines = readFileSync(await file.path(), 'utf8')
    .trimEnd()
    .split('\r\n')
  expect(lines[0]).toBe('\uFEFF"Data";"Cosa";"Provenienza";"Crediti";"Saldo"')
  expect(lines.slice(1)).toHaveLength(await lots.count())
  expect(lines.at(-1)).toMatch(new RegExp(`;${balance}$`))
})

test('a threshold above the balance brings the warning, once in a session', async ({ page }) => {
  test.slow()
  await page.goto('/settings/credits')
  await page.getByLabel('Avvisami sotto').fill('molti')
  await page.getByRole('button', { name: 'Salva' }).click()
  await expect(page.getByText('Scrivi un numero intero di crediti')).toBeVisible()
  await page.getByLabel('Avvisami sotto').fill('10.000')
  await page.getByLabel('Tetto mensile').fill('2.000')
  await page.getByRole('button', { name: 'Salva' }).click()

  const dialog = page.getByRole('dialog', { name: 'Crediti Insufficienti' })
  await expect(dialog).toContainText('Ricarica per continuare a usare le funzioni IA.')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Più Tardi' }).click()
  await expect(dialog).toBeHidden()
  await expect(page.getByText('usati su 2.000')).toBeVisible()

  await page.reload()
  await expect(page.getByLabel('Avvisami sotto')).toHaveValue('10000')
  await expect(page.getByLabel('Tetto mensile')).toHaveValue('2000')
  await expect(dialog).toBeHidden()

  const another = await page.context().newPage()
  await another.goto('/home')
  await another.getByRole('dialog').getByRole('link', { name: 'Ricarica Crediti' }).click()
  await expect(another).toHaveURL(/\/pricing$/)
})

test('what cannot be read says so, and «Riprova» reads it', async ({ page, console }) => {
  console.allow(/Failed to load resource/)
  // The live channel that opens reads all of it again by itself.
  await page.routeWebSocket(/\/realtime\//, () => undefined)
  await page.route(/credit_(overview|statement|lots|settings)/, (route) => route.fulfill({ status: 400, json: {} }))
  await page.goto('/settings/credits')
  await expect(page.getByRole('alert')).toHaveCount(4)
  await page.unroute(/credit_(overview|statement|lots|settings)/)
  await page.getByRole('alert').filter({ hasText: 'estratto conto' }).getByRole('button', { name: 'Riprova' }).click()
  await expect(page.getByRole('table')).toBeVisible()
})

/** Buys a pack on the test payment page; the credits arrive by the webhook. */
async function buy(page: Page, account: Account, packType: string): Promise<void> {
  const stack = readStack()
  const answer = await fetch(`${stack.url}/functions/v1/create_checkout`, {
    method: 'POST',
    headers: {
      apikey: stack.publishable_key,
      Authorization: `Bearer ${account.session.access_token}`,
      'Content-Type': 'application/json',
    },
    body: JSON.stringify({ packType, userId: account.session.user.id }),
  })
  await page.goto(((await answer.json()) as { url: string }).url)
  await page.getByLabel('Numero della carta').fill('4242 4242 4242 4242')
  await page.getByLabel('Scadenza').fill('12 / 34')
  await page.getByLabel('CVC').fill('123')
  await page.getByRole('button', { name: /^Paga/ }).click()
  await page.waitForURL(/session_id=/)
}

test('a purchase has its receipt and can be withdrawn from', async ({ page, account }) => {
  // axe alone takes its time, four times.
  test.slow()
  const elsewhere = await page.context().newPage()
  await elsewhere.goto('/settings/credits')
  await expect(elsewhere.getByText('Nessun ordine')).toBeVisible()
  await buy(page, account, 'pro')
  // Another tab follows by itself.
  await expect(elsewhere.getByText('Accreditato')).toBeVisible()
  await expect(elsewhere.getByRole('row').filter({ hasText: 'Acquisto di crediti' })).toBeVisible()
  await elsewhere.close()
  await page.goto('/settings/credits')
  const order = page.getByRole('list', { name: 'Ordini' }).getByRole('listitem')
  await expect(order).toContainText('550 crediti · 39,99 €')
  await expect(order).toContainText('Accreditato')
  const rows = page.getByRole('table').getByRole('row')
  await expect(rows.filter({ hasText: 'Acquisto di crediti' })).toContainText('+500')
  await expect(rows.filter({ hasText: 'Crediti bonus' }).first()).toContainText('+50')

  await order.getByRole('link', { name: /Ricevuta/ }).click()
  await expect(page.getByRole('heading', { name: 'Ricevuta' })).toBeVisible()
  await expect(page.getByRole('row', { name: /Totale, IVA inclusa/ })).toContainText('39,99 €')
  await expect(page.getByRole('row', { name: /Pacchetto Pro: 500 crediti/ })).toBeVisible()
  await expect(page.getByText(account.email)).toBeVisible()
  await expectAccessible(page)
  await page.emulateMedia({ media: 'print' })
  await expect(page.getByRole('button', { name: 'Stampa' })).toBeHidden()
  await expect(page.getByRole('banner').filter({ hasText: 'Il socio digitale' })).toBeHidden()
  await page.emulateMedia({ media: 'screen' })

  await page.getByRole('link', { name: 'Crediti', exact: true }).click()
  await order.getByRole('button', { name: 'Recedere dal contratto qui' }).click()
  const dialog = page.getByRole('dialog', { name: 'Recedere dal contratto?' })
  await expect(dialog).toContainText('Non hai usato 500 crediti: ti restituiamo 39,99 €')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Conferma recesso' }).click()
  await expect(page.getByText(/Ti restituiamo 39,99\s€/)).toBeVisible()
  await expect(order).toContainText('Rimborsato')
  await expect(order.getByRole('button', { name: 'Recedere dal contratto qui' })).toBeHidden()
  await expect(rows.filter({ hasText: 'Crediti rimborsati' })).toHaveCount(2)
})

test('a receipt of somebody else, or of nothing, is not there', async ({ page }) => {
  for (const id of ['3f2b8a54-8a52-4f26-9b0e-0c6c1f0f9a11', 'un-altro']) {
    await page.goto(`/settings/credits/orders/${id}`)
    await expect(page.getByRole('heading', { name: 'Nessuna ricevuta' })).toBeVisible()
  }
})
