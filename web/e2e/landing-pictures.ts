/**
 * The pictures of the landing page's hero: /home on the demo account, for a desk and for a phone, light and dark; and that
 * of the README: a photographed invoice beside what was read in it.
 *
 * Run by scripts/landing_pictures.py, which makes web formats of them.
 */
import { addDays, romeDay } from '../src/lib/rome-time'
import { type Account, addDemoData, addInvoices, signIn } from './support/accounts'
import { ask } from './support/database'
import { scan } from './support/papers'
import { themes } from './support/screens'
import { readStack } from './support/stack'
import { expect, sessionKey, test } from './support/test'

const shapes = [
  { name: 'desktop', width: 1152, height: 700 },
  { name: 'phone', width: 390, height: 560 },
]

const today = romeDay(new Date())
let isFilled = false

/** The demo account with the sample data and the invoices of a year, once for all pictures of this process. */
async function demoSession() {
  const session = await signIn(readStack().demo_user)
  const account = { session } as Account
  if (isFilled || ask(account, 'select count(*) from public.invoices where user_id = $1').trim() !== '0') return session
  isFilled = true
  await addDemoData(account)
  const [first, second] = ask(
    account,
    `select string_agg(id::text, ' ') from (
      select id from public.contacts where user_id = $1 and type = 'azienda' order by name limit 2
    ) as two`,
  )
    .trim()
    .split(' ')
  const issued = (days: number, total_cents: number, paid?: number, contact_id = first) => ({
    issued_on: addDays(today, -days),
    due_on: addDays(today, 30 - days),
    total_cents,
    ...(paid !== undefined && { paid_on: addDays(today, paid - days) }),
    ...(contact_id && { contact_id }),
  })
  await addInvoices(account, [
    issued(160, 145_000, 33, second),
    issued(130, 210_000, 31),
    issued(100, 98_000, 35, second),
    issued(80, 176_000, 30),
    issued(60, 240_000, 33, second),
    issued(53, 122_000),
    issued(37, 84_500, undefined, second),
    issued(27, 160_000),
    issued(6, 95_000, undefined, second),
  ])
  return session
}

test.describe.configure({ mode: 'serial' })

for (const { name, ...viewport } of shapes) {
  for (const colorScheme of themes) {
    test.describe(`${name}, ${colorScheme}`, () => {
      test.use({ viewport, colorScheme, deviceScaleFactor: 2, hasTouch: name === 'phone' })

      test('home', async ({ page }) => {
        const session = JSON.stringify(await demoSession())
        await page.addInitScript(([key, value]) => localStorage.setItem(key, value), [sessionKey, session] as const)
        // In the morning: that is when the page is meant to be opened.
        await page.clock.setFixedTime(new Date().setHours(9, 5, 0, 0))
        await page.goto('/home')
        await expect(page.getByRole('heading', { level: 1 })).toContainText('Giulia')
        await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
        await page.evaluate(() => document.fonts.ready)
        await page.screenshot({ animations: 'disabled', path: `test-results/landing/home-${name}-${colorScheme}.png` })
      })
    })
  }
}

test.describe('for the README', () => {
  test.use({ persona: 'member', viewport: { width: 1280, height: 800 } })

  test('a document', async ({ page }) => {
    await page.goto('/documents')
    const paper = await scan(page, 'Fattura impianti.jpg', [
      'Bianchi Impianti srl',
      'Via dei Mille 4, 20129 Milano',
      'P.IVA 12345670157',
      '',
      'Fattura n. 77/2026 del 02/11/2026',
      '',
      'Rifacimento dell’impianto elettrico',
      'Imponibile 1.000,00',
      'IVA 22% 220,00',
      'Totale fattura 1.220,00',
      '',
      'Scadenza 02/12/2026',
    ])
    await page.getByLabel('File da caricare').setInputFiles(paper)
    await page.getByRole('table', { name: 'Documenti' }).getByRole('link', { name: paper.name }).click()
    await page.getByRole('button', { name: /^Dove: Totale/ }).click({ timeout: 45_000 })
    await expect(page.locator('[data-mark=loud]')).toBeInViewport()
    await page.evaluate(() => {
      window.scrollTo(0, 0)
      return document.fonts.ready
    })
    await page.screenshot({ animations: 'disabled', path: 'test-results/landing/documents.png' })
  })
})
