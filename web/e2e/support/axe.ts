/**
 * What axe says of the page as it stands, and whether it fits.
 */
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'

import { expect } from './test'

// What a theme can change; all else is the same page.
const COLOURS = ['color-contrast', 'link-in-text-block']

/** In both themes. */
export async function expectAccessible(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    // The page follows the system by a script of its own; then every colour has to arrive.
    await page.waitForFunction(
      (dark) => document.documentElement.classList.contains('dark') === dark,
      colorScheme === 'dark',
    )
    await everyColourArrived(page)
    // The «legacy» mode does not open a blank page for each result; it only misses frames of other origins.
    const axe = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ['violations'] })
    const { violations } = await (colorScheme === 'light' ? axe : axe.withRules(COLOURS)).analyze()
    const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join('; ')}`)
    expect(found, `${page.url()}, ${colorScheme}`).toEqual([])
  }
}

/** By how many pixels the page is wider than the screen. */
export const sidewaysOverflow = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)

/** Nothing is wider than the screen. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  expect(await sidewaysOverflow(page), `${page.url()} is wider than the screen`).toBe(0)
}

/** The colour that an element inherits sets out when its parent's has arrived: they follow one after the other. */
async function everyColourArrived(page: Page): Promise<void> {
  await page.evaluate(async () => {
    for (let still = 0; still < 3;) {
      await new Promise(requestAnimationFrame)
      still = document.getAnimations().every(({ playState }) => playState === 'finished') ? still + 1 : 0
    }
  })
}
