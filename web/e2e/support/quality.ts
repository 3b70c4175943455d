/**
 * What a page is on a small screen: measured, and attached to the test's result for `python -m scripts.qa`.
 */
import { AxeBuilder } from '@axe-core/playwright'
import type { Page, TestInfo } from '@playwright/test'

import { release } from '../../src/lib/release'
import { sidewaysOverflow } from './axe'
import { open } from './screens'

/** functions/_shared/playwright_report.py spells these and the attachment's name too. */
type Check = 'opens' | 'overflow' | 'tap_target' | 'keyboard' | 'bottom_bar'
type Item = {
  route: string
  width: number
  check: Check
  outcome: 'passed' | 'failed'
  note: string
  picture: Buffer | undefined
}

type Screen = Parameters<typeof open>[1]

const ATTACHMENT = 'socio-qa'
const WIDTHS = [360, 390, 768] as const
const HEIGHT = 740
// Stops that a page may have before its content: the top bar, and a few links within the page.
const MOST_TABS = 40

/** Opens each screen and measures it at every width. */
export async function measure(page: Page, screens: readonly Screen[]): Promise<Item[]> {
  const items: Item[] = []
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(error.message))
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
  for (const screen of screens) {
    errors.length = 0
    await page.setViewportSize({ width: WIDTHS[0], height: HEIGHT })
    const refusal = await open(page, screen).then(
      () => '',
      (error: Error) => error.message,
    )
    for (const width of WIDTHS) {
      const found: Partial<Record<Check, string>> = { opens: refusal || errors.join('; ') }
      if (!refusal) {
        await page.setViewportSize({ width, height: HEIGHT })
        found.overflow = await overflow(page)
        found.tap_target = await smallTargets(page, width)
        found.bottom_bar = await hiddenByBar(page)
        found.keyboard = await unreachable(page)
      }
      const picture = Object.values(found).some(Boolean)
        ? await page.screenshot({ animations: 'disabled', type: 'jpeg', quality: 60 })
        : undefined
      for (const [check, note] of Object.entries(found) as [Check, string][]) {
        items.push({ route: screen.path, width, check, note, outcome: note ? 'failed' : 'passed', picture })
      }
    }
  }
  return items
}

/** Failures, a line each. */
export const failures = (items: readonly Item[]): string[] =>
  items
    .filter(({ outcome }) => outcome === 'failed')
    .map(({ route, width, check, note }) => `${route} ${width} ${check}: ${note}`)

/** Attaches what was measured to the result of the test. */
export async function leave(items: readonly Item[], page: Page, info: TestInfo): Promise<void> {
  const names = new Map<Buffer, string>()
  for (const { route, width, picture } of items) if (picture) names.set(picture, `${route} ${width}`)
  for (const [body, name] of names) await info.attach(name, { body, contentType: 'image/jpeg' })
  const browser = page.context().browser()
  const found = {
    browser: browser?.browserType().name(),
    version: browser?.version(),
    release: await page.evaluate(release),
    items: items.map(({ picture, ...item }) => ({ ...item, ...(picture && { picture: names.get(picture) }) })),
  }
  await info.attach(ATTACHMENT, { body: JSON.stringify(found), contentType: 'application/json' })
}

async function overflow(page: Page): Promise<string> {
  const pixels = await sidewaysOverflow(page)
  return pixels > 0 ? `${pixels} px più larga dello schermo` : ''
}

/** Controls under 24 × 24 px that are not far enough from the next one (WCAG 2.2, 2.5.8). */
async function smallTargets(page: Page, width: number): Promise<string> {
  // A control behind the bar can be scrolled out of there: only the padding of the whole page is behind it.
  const height = await page.evaluate(() => document.documentElement.scrollHeight)
  await page.setViewportSize({ width, height: Math.max(height, HEIGHT) })
  const { violations } = await new AxeBuilder({ page }).setLegacyMode().withRules(['target-size']).analyze()
  await page.setViewportSize({ width, height: HEIGHT })
  return violations
    .flatMap(({ nodes }) => nodes.map(({ html }) => html.slice(0, 160)))
    .slice(0, 5)
    .join('; ')
}

/** The bar is at the lower edge, and the last control of the page can be brought above it. */
async function hiddenByBar(page: Page): Promise<string> {
  return page.evaluate(() => {
    const bar = document.querySelector('nav[aria-label="Principale"]')?.getBoundingClientRect()
    if (!bar || bar.height === 0 || bar.bottom > innerHeight + 1) return 'La barra in basso non c’è'
    scrollTo({ top: document.documentElement.scrollHeight, behavior: 'instant' })
    const controls = [...document.querySelectorAll<HTMLElement>('main :is(a[href], button, input, select, textarea)')]
    const last = controls.findLast((control) => control.checkVisibility({ visibilityProperty: true }))
    const lower = last?.getBoundingClientRect()
    scrollTo({ top: 0, behavior: 'instant' })
    return last && lower && lower.bottom > bar.top + 1 && lower.top < bar.bottom
      ? `La barra copre ${last.outerHTML.slice(0, 160)}`
      : ''
  })
}

/** The tabulator leads from the start of the page into its content, and is caught nowhere. */
async function unreachable(page: Page): Promise<string> {
  await page.evaluate(() => {
    // The tabulator goes on from where the focus was lost.
    const start = document.createElement('span')
    start.tabIndex = -1
    document.body.prepend(start)
    start.focus({ preventScroll: true })
    start.remove()
  })
  const focused = () =>
    page.evaluate(() => {
      const main = document.querySelector('main')
      const current = document.activeElement
      const hasControls = main?.querySelector('a[href], button, input, select, textarea')
      return {
        isInside: !hasControls || Boolean(main?.contains(current) && current !== main),
        control: current === document.body ? '' : (current?.outerHTML.slice(0, 160) ?? ''),
      }
    })
  let before = ''
  for (let pressed = 0; pressed < MOST_TABS; pressed++) {
    await page.keyboard.press('Tab')
    const { isInside, control } = await focused()
    if (isInside) return ''
    if (control && control === before) return `Il tabulatore resta su ${control}`
    before = control
  }
  return 'Il tabulatore non arriva al contenuto'
}
