/**
 * A day goes by: an invoice falls due, another soon will, deals are stuck, a task is late. The clock is moved in the
 * rows, nobody sleeps. The insights appear on the open home, are acted on, resolve and are refused; the figure of the
 * tile is that of its list and of the assistant; one mail and one push leave, none of them in quiet hours.
 */
import type { Page } from '@playwright/test'

import { addDays, romeDay } from '../src/lib/rome-time'
import { type Account, addInvoices } from './support/accounts'
import { addCompany } from './support/companies'
import { ask, runJobs } from './support/database'
import { mailCount, newestMail } from './support/mailbox'
import { startPushService } from './support/push-service'
import { expect, test } from './support/test'

test.use({ persona: 'member' })

const today = romeDay(new Date())
const cards = (page: Page) => page.getByRole('list', { name: 'Da fare adesso' }).getByRole('listitem')
const card = (page: Page, title: string) => cards(page).filter({ hasText: title })
const titles = (page: Page) =>
  cards(page).evaluateAll((all) => all.map((each) => each.querySelector('p')?.firstElementChild?.textContent))
const tile = (page: Page, name: string) => page.getByRole('list', { name: 'In breve' }).getByRole('link', { name })

/** Two invoices that are not due soon, deals that have just moved, and a task of the day after tomorrow. */
async function addBusiness(account: Account): Promise<void> {
  const contact_id = addCompany(account)
  await addInvoices(account, [
    { issued_on: addDays(today, -23), total_cents: 122_000, due_on: addDays(today, 19), contact_id },
    { issued_on: addDays(today, -18), total_cents: 50_050, due_on: addDays(today, 23), contact_id },
  ])
  ask(
    account,
    `with stage as (
      insert into public.stages (user_id, name, position, probability) values ($1, 'Trattativa', 1, 75) returning id
    )
    insert into public.deals (user_id, stage_id, title, amount_cents)
    select $1, id, title, cents from stage, (values ('Sito', 400000), ('Logo', 90000)) as deals (title, cents)`,
    `insert into public.tasks (user_id, title, due_at) values ($1, 'Spedire il preventivo', now() + interval '18 days')`,
  )
}

/** Twenty days go by. */
const passDays = (account: Account) =>
  ask(
    account,
    'update public.invoices set issued_on = issued_on - 20 where user_id = $1',
    'update public.invoice_schedules set due_on = due_on - 20 where user_id = $1',
    "update public.deals set stage_since = stage_since - interval '20 days' where user_id = $1",
    "update public.tasks set due_at = due_at - interval '20 days' where user_id = $1",
  )

/** The moment comes at which what waits for a digest leaves. */
const becomeDue = (account: Account) =>
  ask(
    account,
    `update private.notification_deliveries set not_before = now() - interval '1 minute'
     where user_id = $1 and state = 'attesa'`,
  )

/** How many deliveries wait for later, by mail and push. */
const waiting = (account: Account) =>
  ask(
    account,
    `select count(*) from private.notification_deliveries
     where user_id = $1 and state = 'attesa' and not_before > now()`,
  ).trim()

test('a day is told on the open home, by one mail and one push', async ({ page, account }) => {
  await addBusiness(account)
  const pushes = await startPushService(account)
  // From an hour ago until in an hour it is quiet, by the clock of Greenwich.
  ask(
    account,
    `insert into public.notification_settings (user_id, zone, quiet_from, quiet_to) values (
       $1, 'UTC', (now() at time zone 'UTC' - interval '1 hour')::time, (now() at time zone 'UTC' + interval '1 hour')::time
     )`,
    "insert into public.notification_prefs values ($1, 'incassi', 'push', true)",
  )
  const mails = await mailCount(account.email)
  await page.goto('/home')
  await expect(tile(page, 'Da incassare')).toContainText(/1\.720,50.€/)
  await expect(cards(page)).toHaveCount(0)

  passDays(account)
  await expect(card(page, 'Fattura 1')).toContainText('Scaduta da un giorno', { timeout: 30_000 })
  await expect(card(page, 'Fattura 2')).toContainText('un promemoria gentile aiuta')
  await expect(card(page, 'Un’attività scaduta')).toContainText('«Spedire il preventivo»')
  await expect(card(page, 'Sito')).toContainText('20 giorni')
  await expect(cards(page)).toHaveCount(5)

  // Nothing leaves in quiet hours, though it is due.
  becomeDue(account)
  runJobs('notification_mails', 'notification_pushes')
  await expect.poll(() => waiting(account)).toBe('4')
  expect([await mailCount(account.email), await pushes()]).toEqual([mails, []])
  ask(account, 'update public.notification_settings set quiet_from = null, quiet_to = null where user_id = $1')
  becomeDue(account)
  runJobs('notification_mails', 'notification_pushes')
  const mail = await newestMail(account.email, mails + 1)
  expect(mail.subject).toBe('2 novità da Socio')
  expect(mail.text).toContain('Scaduta: Fattura 1, Neri srl')
  expect(mail.text).toContain('In scadenza: Fattura 2, Neri srl')
  await expect.poll(pushes).toEqual([expect.objectContaining({ news: 2, url: '/notifications' })])
  runJobs('notification_mails', 'notification_pushes')

  // One is refused, and its kind comes less: the other deal falls below what was worth less.
  expect(await titles(page)).toEqual([
    'Sito',
    'Fattura 1, Neri srl',
    'Logo',
    'Un’attività scaduta',
    'Fattura 2, Neri srl',
  ])
  await card(page, 'Sito')
    .getByRole('button', { name: /^Non utile/ })
    .click()
  await page.getByRole('menuitem', { name: 'Ci ho già pensato' }).click()
  await expect
    .poll(() => titles(page))
    .toEqual(['Fattura 1, Neri srl', 'Un’attività scaduta', 'Logo', 'Fattura 2, Neri srl'])

  // One is acted on, and rests.
  await card(page, 'Logo').getByRole('button', { name: 'Crea attività' }).click()
  await expect(card(page, 'Logo')).toHaveCount(0)

  // The tile, its list and the assistant say the same, before a payment and after.
  await expectSame(page, /1\.720,50.€/, 172_050)
  await page.goto('/notifications?vista=incassi')
  const notice = page.getByRole('main').getByRole('listitem').filter({ hasText: 'Scaduta: Fattura 1' })
  await notice.getByRole('button', { name: /^Segna pagata/ }).click()
  await expect(page.getByText('Segnata come pagata oggi')).toBeVisible()
  await expectSame(page, /500,50.€/, 50_050)
  await page.goto('/home')
  await expect(card(page, 'Fattura 2')).toBeVisible()
  await expect(card(page, 'Fattura 1')).toHaveCount(0)

  // The task is done, and its insight goes.
  await card(page, 'Un’attività scaduta').getByRole('link', { name: 'Apri le attività' }).click()
  await page.getByRole('checkbox', { name: /Spedire il preventivo/ }).click()
  await page.getByRole('navigation', { name: 'Principale' }).getByRole('link', { name: 'Home' }).click()
  await expect(card(page, 'Un’attività scaduta')).toHaveCount(0)
  expect([await mailCount(account.email), (await pushes()).length]).toEqual([mails + 1, 1])
})

/** Reads the tile, adds up the rows that it opens, and asks the assistant. */
async function expectSame(page: Page, said: RegExp, cents: number): Promise<void> {
  await page.goto('/home')
  await expect(tile(page, 'Da incassare')).toContainText(said)
  await tile(page, 'Da incassare').click()
  const rows = page.getByRole('list', { name: 'Fatture' }).getByRole('listitem')
  await expect
    .poll(async () => (await rows.allInnerTexts()).map(centsIn).reduce((sum, each) => sum + each, 0))
    .toBe(cents)
  await page.goto('/chat')
  const field = page.getByRole('textbox', { name: 'Scrivi a Socio' })
  await field.fill('quanto devo incassare?')
  await field.press('Enter')
  await expect(page.getByRole('log', { name: 'Conversazione' })).toContainText(said, { timeout: 30_000 })
}

/** The amount of a row in cents. */
const centsIn = (text: string) => Number(/([\d.]+,\d\d)\s€/.exec(text)?.[1]?.replaceAll(/[.,]/g, ''))
