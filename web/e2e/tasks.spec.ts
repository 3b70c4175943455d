/**
 * /tasks: written as one speaks, done with the next date in sight, moved by keyboard, by mouse and by day.
 */
import type { Page } from '@playwright/test'

import { addDays, romeDay } from '../src/lib/rome-time'
import { addInvoices } from './support/accounts'
import { expectAccessible, expectNoSidewaysScroll } from './support/axe'
import { expect, test } from './support/test'

test.use({ persona: 'member' })

const line = (page: Page) => page.getByRole('textbox', { name: 'Nuova attività' })
const list = (page: Page) => page.getByRole('list', { name: 'Attività' })

async function add(page: Page, text: string): Promise<void> {
  await line(page).fill(text)
  await line(page).press('Enter')
  await expect(line(page)).toHaveValue('')
}

/** The day it is in Italy, so many days from now, as `YYYY-MM-DD`. */
const day = (ahead: number) => addDays(romeDay(new Date()), ahead)

test('«domani alle 15 chiamare Rossi» becomes a task, and what was understood can be taken back @journey', async ({
  page,
}) => {
  await page.goto('/tasks')
  await expect(page.getByText('Oggi non hai niente in scadenza')).toBeVisible()
  await page.keyboard.press('n')
  await line(page).pressSequentially('domani alle 15 chiamare Rossi !alta')
  const chips = page.getByRole('list', { name: 'Ho capito' })
  await expect(chips).toContainText('domani 15:00')
  // Behind «!alta» the first Backspace takes only its meaning.
  await line(page).press('Backspace')
  await expect(chips.getByText('alta')).toHaveCount(0)
  await expect(line(page)).toHaveValue('domani alle 15 chiamare Rossi !alta')
  await line(page).fill('domani alle 15 chiamare Rossi')
  await line(page).press('Enter')

  await page.getByRole('link', { name: 'Lista' }).click()
  await expect(page.getByRole('heading', { name: 'Domani' })).toBeVisible()
  await expect(list(page).getByRole('button', { name: /chiamare Rossi.*domani 15:00/i })).toBeVisible()
})

test('a repeating task shows its next date when it is done, and comes back whole', async ({ page }) => {
  await page.goto('/tasks?vista=lista')
  await add(page, 'ogni lunedì mandare le fatture')
  const row = list(page).getByRole('checkbox', { name: 'mandare le fatture' })
  await expect(row).toHaveCount(1)
  await list(page)
    .getByRole('button', { name: /fatture/ })
    .focus()
  await page.keyboard.press('e')
  await expect(page.getByText(/prossima: lun/)).toBeVisible()
  await page.getByRole('button', { name: 'Annulla' }).click()
  await expect(page.getByText(/prossima: lun/)).toBeHidden()
  await expect(row).toHaveCount(1)
  await expect(row).not.toBeChecked()
})

test('a card moves over the board by keyboard, and back when the server is away', async ({ page, console }) => {
  console.allow(/ERR_FAILED|Failed to (?:load|fetch)/)
  await page.goto('/tasks?vista=kanban')
  await add(page, 'Bozze del sito')
  const column = (name: string) => page.getByRole('region', { name })
  const card = (name: string) => column(name).getByRole('button', { name: /Bozze del sito/ })
  await card('Da fare').focus()
  await page.keyboard.press('Alt+ArrowRight')
  await expect(card('In corso')).toBeFocused()
  await page.reload()
  await expect(card('In corso')).toBeVisible()

  await page.route('**/rest/v1/tasks?id=*', (route) => route.abort())
  await card('In corso').focus()
  await page.keyboard.press('Alt+ArrowRight')
  await expect(page.getByText('la modifica non è stata salvata')).toBeVisible()
  await expect(card('In corso')).toBeVisible()
})

test('the month moves a task to another day, and every view is accessible @journey', async ({ page }) => {
  await page.goto('/tasks')
  await add(page, 'oggi consegnare le bozze #sito')
  await page.goto('/tasks?vista=calendario&periodo=settimana')
  const task = (ahead: number) => page.locator(`[data-day="${day(ahead)}"]`).getByRole('button', { name: /consegnare/ })
  await task(0).focus()
  await page.keyboard.press('Alt+ArrowRight')
  // On a Sunday tomorrow is on the next page.
  if (new Date(`${day(0)}T00:00:00Z`).getUTCDay() === 0) {
    await page.getByRole('button', { name: 'Settimana dopo' }).click()
  }
  await expect(task(1)).toBeVisible()
  // The other sizes are walked by accessibility.spec.ts, without tasks.
  for (const view of ['calendario', 'kanban', 'lista']) {
    await page.getByRole('link', { name: view }).click()
    await expect(page.getByRole('button', { name: /consegnare/ })).toBeVisible()
    await expectNoSidewaysScroll(page)
    await expectAccessible(page)
  }
  await page.getByRole('button', { name: /consegnare/ }).click()
  await expect(page.getByRole('dialog').getByLabel('Titolo')).toHaveValue(/consegnare/)
  await expectAccessible(page)
})

test('tasks are selected by mouse and by finger, changed together and changed back', async ({ page }) => {
  await page.goto('/tasks?vista=lista')
  for (const title of ['Primo', 'Secondo', 'Terzo']) await add(page, `oggi ${title}`)
  const row = (title: string) => list(page).getByRole('button', { name: title })
  const bar = page.getByRole('toolbar', { name: 'Attività selezionate' })
  await row('Primo').click({ modifiers: ['ControlOrMeta'] })
  await row('Terzo').click({ modifiers: ['Shift'] })
  await expect(bar.getByRole('status')).toHaveText('3 selezionate')
  await expectAccessible(page)
  await bar.getByRole('button', { name: 'Sposta' }).click()
  await page.getByRole('button', { name: 'Domani', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Domani 3' })).toBeVisible()
  await page.getByRole('button', { name: 'Annulla' }).click()
  await expect(page.getByRole('heading', { name: 'Oggi 3' })).toBeVisible()

  await page.setViewportSize({ width: 360, height: 740 })
  await row('Secondo').dispatchEvent('pointerdown', { pointerType: 'touch', clientX: 100, clientY: 300 })
  await expect(bar.getByRole('status')).toHaveText('1 selezionata')
  await page.getByRole('checkbox', { name: 'Seleziona Primo' }).check()
  await expectNoSidewaysScroll(page)
  await expectAccessible(page)
  await bar.getByRole('button', { name: 'Elimina' }).click()
  await expect(page.getByText('2 attività eliminate')).toBeVisible()
  await expect(row('Terzo')).toBeVisible()
  await expect(row('Primo')).toBeHidden()
})

test('an invoice stands in the calendar on the day it is due, and is hidden with a button', async ({
  page,
  account,
}) => {
  await addInvoices(account, [{ issued_on: day(-20), due_on: day(0), total_cents: 122_000 }])
  await page.goto('/tasks?vista=calendario&periodo=settimana')
  const due = page.getByRole('link', { name: /Incassa 1\.220,00\s€/ })
  await expect(due).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Scadenze' }).click()
  await expect(due).toHaveCount(0)
  await page.getByRole('button', { name: 'Scadenze' }).click()
  await due.click()
  await expect(page).toHaveURL(/\/documents\//)
})
