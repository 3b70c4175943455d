/**
 * The pictures of the landing page's hero: /home on the demo account, for a desk and for a phone, light and dark.
 *
 * Run by scripts/landing_pictures.py, which makes web formats of them.
 */
import { signIn } from './support/accounts'
import { themes } from './support/screens'
import { readStack } from './support/stack'
import { expect, sessionKey, test } from './support/test'

const shapes = [
  { name: 'desktop', width: 1152, height: 700 },
  { name: 'phone', width: 390, height: 560 },
]

for (const { name, ...viewport } of shapes) {
  for (const colorScheme of themes) {
    test.describe(`${name}, ${colorScheme}`, () => {
      test.use({ viewport, colorScheme, deviceScaleFactor: 2, hasTouch: name === 'phone' })

      test('home', async ({ page }) => {
        const session = JSON.stringify(await signIn(readStack().demo_user))
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
