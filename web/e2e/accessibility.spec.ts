/**
 * axe finds nothing on any screen in either theme, and no screen scrolls sideways on a small phone.
 */
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'

import { open, screens, themes } from './support/screens'
import { expect, type Persona, test } from './support/test'

async function expectNoViolations(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze()
  const found = violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.target.join(' ')} ${node.failureSummary}`).join('; ')}`,
  )
  expect(found, page.url()).toEqual([])
}

async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  )
  expect(overflow, `${page.url()} is wider than the screen`).toBe(0)
}

for (const persona of Object.keys(screens) as Persona[]) {
  test.describe(`what a ${persona} sees`, () => {
    test.use({ persona, viewport: { width: 360, height: 740 } })

    for (const theme of themes) {
      test(`is accessible and fits a phone, ${theme}`, async ({ page, console }) => {
        console.allow(/404/)
        await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
        for (const screen of screens[persona]) {
          await test.step(screen.path, async () => {
            await open(page, screen)
            await expectNoSidewaysScroll(page)
            await expectNoViolations(page)
          })
        }
      })
    }
  })
}

test.describe('the open popover', () => {
  test.use({ persona: 'member' })

  for (const theme of themes) {
    test(`is accessible, ${theme}`, async ({ page }) => {
      await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
      await page.goto('/home')
      await page
        .getByRole('banner')
        .getByRole('button', { name: /Notifiche/ })
        .click()
      await expect(
        page
          .getByRole('dialog')
          .getByText(/benvenuto/)
          .first(),
      ).toBeVisible()
      await expectNoViolations(page)
    })
  }
})
