/**
 * Without a network tasks, notes and completions are kept, and arrive once, in order, when it is back.
 */
import type { BrowserContext, Page } from '@playwright/test'

import { expectAccessible, expectNoSidewaysScroll } from './support/axe'
import { ask } from './support/database'
import { expect, test } from './support/test'

test.use({ persona: 'member' })

test.beforeEach(({ console }) => {
  console.allow(/ERR_(?:INTERNET_DISCONNECTED|FAILED)|Failed to (?:load|fetch)|WebSocket|status of 40[04]/)
})

const line = (page: Page) => page.getByRole('textbox', { name: 'Nuova attività' })
const list = (page: Page) => page.getByRole('list', { name: 'Attività' })
const box = (page: Page, title: string) => list(page).getByRole('checkbox', { name: title })
const count = (page: Page, text: string) => page.getByRole('status').filter({ hasText: text })

async function add(page: Page, text: string): Promise<void> {
  await line(page).fill(text)
  await line(page).press('Enter')
  await expect(line(page)).toHaveValue('')
}

const TITLES = `select string_agg(title, ', ' order by created_at) from tasks where user_id = $1`

/** The requests of all tabs that write. */
function writesOf(context: BrowserContext): () => string[] {
  const paths: string[] = []
  context.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (request.method() === 'POST' && /\/(?:tasks|notes|complete_task)$/.test(pathname))
      paths.push(pathname.split('/').at(-1) ?? '')
  })
  return () => paths
}

test('three tasks, a note and a completion arrive once and in order, from two tabs', async ({
  page,
  context,
  account,
}) => {
  const contactId = ask(
    account,
    "insert into public.contacts (user_id, first_name, last_name) values ($1, 'Mario', 'Rossi') returning id::text",
  ).trim()
  await page.goto('/tasks?vista=oggi')
  await add(page, 'ogni giorno da oggi fare la cassa')
  await expect(box(page, 'fare la cassa')).toHaveCount(1)
  const contact = await context.newPage()
  await contact.goto(`/crm/${contactId}`)
  await expect(contact.getByRole('textbox', { name: /^Nota/ })).toBeVisible()

  await context.setOffline(true)
  const writes = writesOf(context)
  for (const title of ['Prima', 'Seconda', 'Terza']) {
    // oxlint-disable-next-line no-await-in-loop
    await add(page, `oggi ${title}`)
  }
  await expect(list(page).getByText('in attesa di rete')).toHaveCount(3)
  await box(page, 'fare la cassa').click()
  await expect(box(page, 'fare la cassa')).toBeChecked()
  await contact.getByRole('textbox', { name: /^Nota/ }).fill('Paga a maggio')
  await contact.getByRole('button', { name: 'Registra', exact: true }).click()
  await expect(contact.getByRole('list', { name: 'Note non ancora inviate' })).toContainText('Paga a maggio')
  for (const tab of [page, contact]) {
    // oxlint-disable-next-line no-await-in-loop
    await expect(count(tab, '5 modifiche in attesa di rete')).toBeVisible()
  }
  await page.getByRole('button', { name: /^Vedi/ }).click()
  const waiting = page.getByRole('list', { name: 'Modifiche in attesa' })
  await expect(waiting.getByRole('listitem')).toHaveCount(5)
  await page.setViewportSize({ width: 360, height: 740 })
  await expectNoSidewaysScroll(page)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Chiudi' }).first().click()

  await context.setOffline(false)
  await expect(count(page, 'in attesa di rete')).toHaveCount(0)
  await expect(count(contact, 'in attesa di rete')).toHaveCount(0)
  expect(writes()).toEqual(['tasks', 'tasks', 'tasks', 'complete_task', 'notes'])
  await expect(box(page, 'Terza')).toBeVisible()
  await expect(list(page).getByText('in attesa di rete')).toHaveCount(0)
  // The next occurrence was made once.
  expect(ask(account, TITLES).trim()).toBe('fare la cassa, Prima, Seconda, Terza, fare la cassa')
  expect(ask(account, `select string_agg(body, ', ') from notes where user_id = $1`).trim()).toBe('Paga a maggio')
})

test('a lost answer makes one task', async ({ page, account }) => {
  await page.goto('/tasks?vista=lista')
  await expect(line(page)).toBeVisible()
  let isLost = true
  await page.route('**/rest/v1/tasks*', async (route) => {
    if (!isLost || route.request().method() !== 'POST') return route.fallback()
    isLost = false
    await route.fetch()
    return route.abort()
  })
  await add(page, 'Preventivo per Rossi')
  await expect(box(page, 'Preventivo per Rossi')).toHaveCount(1)
  await expect(page.getByText('in attesa di rete')).toHaveCount(0)
  expect(isLost).toBe(false)
  expect(ask(account, TITLES).trim()).toBe('Preventivo per Rossi')
})

test('what a closed tab left is sent at the next opening', async ({ page, context, account }) => {
  await page.goto('/tasks?vista=lista')
  await expect(line(page)).toBeVisible()
  await context.setOffline(true)
  await add(page, 'Scritta in treno')
  await expect(count(page, '1 modifica in attesa di rete')).toBeVisible()
  await page.close()
  await context.setOffline(false)
  expect(ask(account, TITLES).trim()).toBe('None')
  const next = await context.newPage()
  await next.goto('/home')
  await expect.poll(() => ask(account, TITLES).trim()).toBe('Scritta in treno')
})

test('a conflict is told, the rest goes on, and the entry can be thrown away', async ({ page, context, account }) => {
  await page.goto('/tasks?vista=oggi')
  await add(page, 'oggi Eliminata altrove')
  await add(page, 'oggi Completata altrove')
  await expect(box(page, 'Completata altrove')).toHaveCount(1)
  await context.setOffline(true)
  await box(page, 'Eliminata altrove').click()
  await box(page, 'Completata altrove').click()
  await add(page, 'oggi Indipendente')
  ask(
    account,
    `update tasks set deleted_at = now() where user_id = $1 and title = 'Eliminata altrove'`,
    `update tasks set state = 'fatto' where user_id = $1 and title = 'Completata altrove'`,
  )
  await context.setOffline(false)
  await expect(count(page, '2 modifiche non inviate')).toBeVisible()
  expect(ask(account, TITLES)).toContain('Indipendente')
  await page.getByRole('button', { name: /^Vedi/ }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('Quello a cui si riferisce è stato eliminato altrove.')
  await expect(dialog).toContainText('Era già stata completata altrove.')
  await dialog.getByRole('button', { name: /Elimina.*Eliminata altrove/ }).click()
  await dialog.getByRole('button', { name: /Riprova.*Completata altrove/ }).click()
  await expect(dialog).toContainText('Tutto inviato.')
})

test('a logout asks what becomes of it, and the next person sees nothing', async ({ page, context }) => {
  await page.goto('/tasks?vista=lista')
  await expect(line(page)).toBeVisible()
  await context.setOffline(true)
  await add(page, 'Solo mia')
  await page.getByRole('button', { name: 'Logout' }).click()
  await expect(page.getByRole('dialog')).toContainText('partono quando rientri con questo account')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Conserva ed esci' }).click()
  await expect(page).toHaveURL(/\/login/)
  await expect(count(page, 'in attesa di rete')).toHaveCount(0)
})
