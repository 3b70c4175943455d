/**
 * The pictures of the landing page's hero: /home on the demo account, for a desk and for a phone, light and dark; and that
 * of the README: a photographed invoice beside what was read in it.
 *
 * Run by scripts/landing_pictures.py, which makes web formats of them.
 */
import { enterDemo } from './support/demo'
import { keepPictured, outline } from './support/outline'
import { scan } from './support/papers'
import { themes } from './support/screens'
import { expect, test } from './support/test'

const shapes = [
  { name: 'desktop', width: 1152, height: 700 },
  { name: 'phone', width: 390, height: 560 },
]

test.describe.configure({ mode: 'serial' })

for (const { name, ...viewport } of shapes) {
  for (const colorScheme of themes) {
    test.describe(`${name}, ${colorScheme}`, () => {
      test.use({ viewport, colorScheme, deviceScaleFactor: 2, hasTouch: name === 'phone' })

      test('home', async ({ page }) => {
        await enterDemo(page)
        // In the morning: that is when the page is meant to be opened.
        await page.clock.setFixedTime(new Date().setHours(9, 5, 0, 0))
        await page.goto('/home')
        await expect(page.getByRole('heading', { level: 1 })).toContainText('Giulia')
        await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
        await page.evaluate(() => document.fonts.ready)
        await page.screenshot({ animations: 'disabled', path: `test-results/landing/home-${name}-${colorScheme}.png` })
        if (name === 'desktop' && colorScheme === 'light') keepPictured(await outline(page))
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
