/**
 * The guided tour (LAYOUT-06 to LAYOUT-08): when it comes, what it shows, and that it never comes twice.
 */
import type { Page } from '@playwright/test'

import { expectAccessible } from './support/axe'
import { expect, test } from './support/test'

const STOPS = [
  'La tua giornata',
  'La chat con Socio',
  'I tuoi contatti',
  'I documenti',
  'Attività e progetti',
  'I crediti',
]

const card = (page: Page) => page.getByRole('alertdialog')

const isOver = (page: Page) => page.evaluate(() => localStorage.getItem('tour_completed'))

test.use({ persona: 'member', isFirstVisit: true })

for (const [device, viewport] of [
  ['a phone', { width: 360, height: 740 }],
  ['a desktop', { width: 1440, height: 900 }],
] as const) {
  test.describe(`on ${device}`, () => {
    test.use({ viewport })

    test('six stops in order, back and forth, then never again', async ({ page }) => {
      test.slow()
      await page.goto('/home')
      for (const [index, title] of STOPS.entries()) {
        await expect(card(page).getByRole('heading', { name: title })).toBeInViewport({ ratio: 1 })
        await expect(card(page)).toContainText(`${index + 1} di 6`)
        if (index === 1) {
          await expectAccessible(page)
          await card(page).getByRole('button', { name: 'Indietro' }).click()
          await expect(card(page)).toContainText('1 di 6')
          await card(page).getByRole('button', { name: 'Avanti' }).click()
          await expect(card(page)).toContainText('2 di 6')
        }
        await card(page)
          .getByRole('button', { name: index < 5 ? 'Avanti' : 'Fine' })
          .click()
      }
      await expect(card(page)).toBeHidden()
      expect(await isOver(page)).toBe('true')
      await page.clock.install()
      await page.reload()
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      await page.clock.runFor(5_000)
      await expect(card(page)).toBeHidden()
    })
  })
}

test('it waits a second and a half, and neither Esc nor a click beside it ends it', async ({ page }) => {
  await page.clock.install()
  await page.goto('/home')
  await expect(page.getByRole('button', { name: 'Logout' })).toBeVisible()
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Anna')
  expect(await isOver(page)).toBeNull()
  await page.clock.runFor(3_000)
  await expect(card(page)).toBeVisible()
  await page.clock.resume()
  await page.keyboard.press('Escape')
  await page.mouse.click(700, 300)
  await expect(card(page)).toContainText('1 di 6')
  expect(await isOver(page)).toBeNull()
  const layer = await page
    .locator('.react-joyride__overlay')
    .evaluate((overlay) => Number(getComputedStyle(overlay).zIndex))
  expect(layer).toBe(10_000)
})

for (const button of ['Salta', 'Chiudi']) {
  test(`«${button}» ends it for good, the settings bring it back`, async ({ page }) => {
    await page.goto('/settings')
    await card(page).getByRole('button', { name: button }).click()
    await expect(card(page)).toBeHidden()
    expect(await isOver(page)).toBe('true')
    await page.getByRole('button', { name: 'Rivedi la guida' }).click()
    await expect(card(page)).toContainText('1 di 6')
    await expect(card(page).getByRole('button', { name: 'Avanti' })).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(card(page)).toContainText('2 di 6')
  })
}

test('a stop that is missing or invisible is skipped with a warning', async ({ page, console }) => {
  console.allow(/Guided tour: «(crm|tasks)» is missing or not visible, skipped/)
  const warnings: string[] = []
  page.on('console', (message) => {
    if (message.text().startsWith('Guided tour')) warnings.push(message.text())
  })
  await page.goto('/home')
  await expect(card(page)).toContainText('1 di 6')
  await page.evaluate(() => {
    document.querySelector('[data-tour="crm"]')?.removeAttribute('data-tour')
    document.querySelector<HTMLElement>('[data-tour="tasks"]')?.style.setProperty('display', 'none')
  })
  for (const title of ['La tua giornata', 'La chat con Socio', 'I documenti', 'I crediti']) {
    await expect(card(page).getByRole('heading', { name: title })).toBeVisible()
    if (title !== 'I crediti') await card(page).getByRole('button', { name: 'Avanti' }).click()
  }
  expect(warnings).toHaveLength(2)
})
