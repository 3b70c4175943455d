/**
 * /home lives a day: invoices fall due, one is paid, a deal is stuck, a task is late. The right insights appear with
 * their reason, are acted on, resolve and are refused; every figure is the same as its list and as the assistant's.
 */
import type { Page } from '@playwright/test'

import { addDays, addMonths, romeDay } from '../src/lib/rome-time'
import { type Account, addInvoices, payInvoice } from './support/accounts'
import { expectAccessible, expectNoSidewaysScroll } from './support/axe'
import { addCompany } from './support/companies'
import { ask } from './support/database'
import { expect, test } from './support/test'

const today = romeDay(new Date())

const cards = (page: Page) => page.getByRole('list', { name: 'Da fare adesso' }).getByRole('listitem')
const card = (page: Page, title: string | RegExp) => cards(page).filter({ hasText: title })
const tile = (page: Page, name: string) => page.getByRole('list', { name: 'In breve' }).getByRole('link', { name })

/** A client who pays in five days, and owes an invoice that is late and one that is not. */
async function addNeri(account: Account): Promise<void> {
  const contact_id = addCompany(account)
  await addInvoices(account, [
    { issued_on: addDays(today, -100), total_cents: 50_000, paid_on: addDays(today, -95), contact_id },
    { issued_on: addDays(today, -90), total_cents: 50_000, paid_on: addDays(today, -85), contact_id },
    { issued_on: addDays(today, -53), total_cents: 122_000, due_on: addDays(today, -23), contact_id },
    { issued_on: addDays(today, -27), total_cents: 50_050, due_on: addDays(today, 3), contact_id },
  ])
}

/** Two deals that are stuck in the same stage, and a task of the day before yesterday. */
const addWork = (account: Account) =>
  ask(
    account,
    `with stage as (
      insert into public.stages (user_id, name, position, probability) values ($1, 'Trattativa', 1, 75) returning id
    )
    insert into public.deals (user_id, stage_id, title, amount_cents, stage_since)
    select $1, id, title, cents, now() - interval '20 days'
    from stage, (values ('Sito', 400000), ('Logo', 100000)) as deals (title, cents)`,
    `insert into public.tasks (user_id, title, due_at) values ($1, 'Spedire il preventivo', now() - interval '2 days')`,
  )

test.describe('a day', () => {
  test.use({ persona: 'member' })

  test('brings what is to be done, and takes it away again @journey', async ({ page, account }) => {
    await addNeri(account)
    addWork(account)
    await page.goto('/home')
    await expect(card(page, 'Fattura 3, Neri srl')).toContainText(
      'Scaduta da 23 giorni. Di solito paga in 5 giorni dall’emissione, ne sono passati 53: è insolito.',
    )
    await expect(card(page, 'Fattura 4, Neri srl')).toContainText('Di solito paga in 5 giorni')
    await expect(card(page, 'Un’attività scaduta')).toContainText('«Spedire il preventivo»')
    await expect(page.getByText('In ritardo 1.220,00 € da una fattura.', { exact: false })).toBeVisible()
    await expectAccessible(page)
    await page.setViewportSize({ width: 360, height: 740 })
    await expectNoSidewaysScroll(page)
    await page.setViewportSize({ width: 1280, height: 800 })

    // The letter rests the card; the draft is with its contact.
    await card(page, 'Fattura 3').getByRole('button', { name: 'Sollecita' }).click()
    const letter = page.getByRole('dialog', { name: 'Sollecito' })
    await expect(letter.getByLabel('Testo')).toHaveValue(/^Spett\.le Neri srl,/)
    await letter.getByRole('button', { name: 'Salva la bozza' }).click()
    await expect(card(page, 'Fattura 3')).toHaveCount(0)
    await expect.poll(() => ask(account, 'select count(*) from public.drafts where user_id = $1').trim()).toBe('1')

    // A refused one goes, and its kind comes less: the other deal falls below the task.
    const titles = () => cards(page).evaluateAll((all) => all.map((each) => each.querySelector('a')?.textContent))
    expect(await titles()).toEqual(['Sito', 'Logo', 'Un’attività scaduta', 'Fattura 4, Neri srl'])
    await card(page, 'Sito')
      .getByRole('button', { name: /^Non utile/ })
      .click()
    await page.getByRole('menuitem', { name: 'Ci ho già pensato' }).click()
    await expect.poll(titles).toEqual(['Un’attività scaduta', 'Logo', 'Fattura 4, Neri srl'])
    await page.reload()
    await expect(card(page, 'Sito')).toHaveCount(0)

    // Acting makes a task, and «Annulla» takes both back.
    await card(page, 'Logo').getByRole('button', { name: 'Crea attività' }).click()
    await expect(card(page, 'Logo')).toHaveCount(0)
    await page.getByRole('button', { name: 'Annulla' }).click()
    await expect(card(page, 'Logo')).toBeVisible()

    // What is done resolves itself.
    await card(page, 'Un’attività scaduta').getByRole('link', { name: 'Apri le attività' }).click()
    await page.getByRole('checkbox', { name: /Spedire il preventivo/ }).click()
    await page.getByRole('navigation', { name: 'Principale' }).getByRole('link', { name: 'Home' }).click()
    await expect(card(page, 'Un’attività scaduta')).toHaveCount(0)
  })

  test('figures are those of their lists and of the assistant, and a change is there by itself', async ({
    page,
    account,
  }) => {
    await addNeri(account)
    await page.goto('/home')
    await expect(tile(page, 'Da incassare')).toContainText(/1\.720,50.€/)
    await tile(page, 'Da incassare').click()
    const due = page.getByRole('region', { name: 'Scadenzario' }).getByRole('definition')
    await expect(due).toHaveText([/1\.220,00/, /500,50/, /^0,00/])

    await page.goto('/chat')
    const field = page.getByRole('textbox', { name: 'Scrivi a Socio' })
    await field.fill('quanto devo incassare in tutto?')
    await field.press('Enter')
    await expect(page.getByRole('log', { name: 'Conversazione' })).toContainText(/1\.720,50.€/, { timeout: 30_000 })

    await page.goto('/home')
    await expect(card(page, 'Fattura 3')).toBeVisible()
    const invoice = ask(account, "select id::text from public.invoices where user_id = $1 and number = '3'").trim()
    // The channel stands once a change has come through: within the ten seconds of any expectation.
    ask(account, "insert into public.tasks (user_id, title, due_at) values ($1, 'Prova', now())")
    await expect(tile(page, 'Attività di oggi')).toContainText('1')
    const began = Date.now()
    await payInvoice(account, invoice, today)
    // Nothing is polled for half a minute. The milliseconds are for whoever reads them: other tests run beside this one.
    await expect(tile(page, 'Da incassare')).toContainText(/^Da incassare500,50.€/)
    process.stdout.write(`    a paid invoice on the open home after ${Date.now() - began} ms\n`)
    await expect(card(page, 'Fattura 3')).toHaveCount(0)
  })

  test('a kind that is not wanted is hidden and comes back, and a task is written in a sentence', async ({
    page,
    account,
  }) => {
    await addNeri(account)
    await page.goto('/home')
    await card(page, 'Fattura 3')
      .getByRole('button', { name: /^Non utile/ })
      .click()
    await page.getByRole('menuitem', { name: 'Non mostrarmi più questo tipo' }).click()
    await expect(card(page, 'Fattura 3')).toHaveCount(0)
    await page.getByRole('button', { name: 'Che cosa vedere' }).click()
    const kind = page.getByRole('checkbox', { name: 'Fatture scadute' })
    await expect(kind).not.toBeChecked()
    await kind.check()
    await page.getByRole('button', { name: 'Chiudi' }).click()
    await expect(card(page, 'Fattura 3')).toBeVisible()

    const line = page.getByRole('textbox', { name: 'Nuova attività' })
    await line.fill('oggi sentire @Neri')
    await line.press('Enter')
    await expect(tile(page, 'Attività di oggi')).toContainText('1')
    await expect(page.getByRole('link', { name: /^Oggi un’attività: «sentire Neri srl»/ })).toBeVisible()
  })

  test('who has the forfettario sees the threshold, what to set aside and what a payment changes', async ({
    page,
    account,
  }) => {
    ask(account, "update public.profiles set tax_regime = 'forfettario' where user_id = $1")
    const paid = { total_cents: 4_000_000, issued_on: today, paid_on: today }
    await addInvoices(account, [paid, { ...paid, total_cents: 4_300_000 }])
    await page.goto('/home')
    const gauge = page.getByRole('meter', { name: 'Incassi dell’anno' })
    await expect(gauge).toHaveAttribute('aria-valuetext', /^Incassati 83\.000,00.€ di 85\.000,00.€$/)
    await page.getByRole('button', { name: 'Calcola quanto mettere da parte' }).click()
    await expectAccessible(page)
    await page.getByLabel('Che attività fai').selectOption({ value: 'redditivita_altre' })
    await page.getByLabel(/Sono nei primi cinque anni/).check()
    await page.getByRole('button', { name: 'Salva' }).click()
    // 83,000 × 67 % = 55,610; 26.07 % of it, and 5 % of the rest.
    await expect(page.getByText(/Metti da parte 16\.553,15.€: imposta sostitutiva 2\.055,62.€/)).toBeVisible()
    await page.getByLabel('E se incassi ancora…').fill('3.000')
    await expect(page.getByText(/Arrivi a 86\.000,00.€: oltre 85\.000,00.€ esci dal forfettario/)).toBeVisible()
    await expect(page.getByText(/Da mettere da parte 598,30.€ in più/)).toBeVisible()
    await page.getByRole('button', { name: 'Segna F24 e bollo' }).click()
    await page.getByRole('button', { name: 'Apri', exact: true }).click()
    await expect(page).toHaveURL(/\/tasks/)
    await page.goBack()
    await page.getByRole('button', { name: 'Segna F24 e bollo' }).click()
    await expect(page.getByText('Le prossime scadenze ci sono già')).toBeVisible()
    await page.getByText('Da dove vengono le cifre').click()
    await expect(page.getByText(/Gestione separata INPS 26,07 %/)).toBeVisible()
    await expectAccessible(page)
    await page.setViewportSize({ width: 360, height: 740 })
    await expectNoSidewaysScroll(page)
  })
})

test.describe('the first touches', () => {
  test.use({ persona: 'member', isFirstVisit: true })

  test('the chart is chosen by keys, mouse and finger, and the first touch is counted @journey', async ({
    page,
    account,
  }) => {
    await addInvoices(account, [
      { issued_on: addMonths(today, -1), total_cents: 120_000, paid_on: today },
      { issued_on: addMonths(today, 0), total_cents: 50_050, due_on: addMonths(today, -1) },
      { issued_on: addMonths(today, 0), total_cents: 200_000, due_on: addMonths(today, 2) },
    ])
    await page.addInitScript(() => {
      localStorage.setItem('cookie_consent', 'accepted')
      localStorage.setItem('cookie_consent_date', new Date().toISOString())
      localStorage.setItem('tour_completed', 'true')
    })
    await page.goto('/home')
    const months = page.getByRole('slider', { name: 'Mese' })
    await expect(months).toHaveAttribute('aria-valuetext', /^[a-z]+ \d{4}: incassati 1\.200,00.€$/)

    const event = page.waitForRequest(
      (request) =>
        request.url().includes('analytics_events') &&
        request.postDataJSON().event_name === 'dashboard_chart_interacted',
    )
    await months.focus()
    await page.keyboard.press('ArrowLeft')
    await expect(page.getByText(/non incassati 500,50.€ \(in ritardo 500,50.€\)$/)).toBeVisible()
    const request = await event
    expect((await request.response())?.status()).toBe(201)
    expect(request.postDataJSON()).toMatchObject({
      properties: { chartType: 'mesi' },
      user_id: account.session.user.id,
    })

    await page.getByText('Vedi come tabella').click()
    await expect(page.getByRole('table', { name: 'Incassi per mese' }).getByRole('row')).toHaveCount(7)
    await expectAccessible(page)
    await page.setViewportSize({ width: 360, height: 740 })
    await expectNoSidewaysScroll(page)
    const { width = 0, height = 0 } = (await months.boundingBox()) ?? {}
    await months.click({ position: { x: 2, y: height / 2 } })
    await expect(months).toHaveValue('0')
    await months.click({ position: { x: (width / 6) * 4.9, y: height / 2 } })
    await expect(months).toHaveValue('4')

    await page.getByRole('button', { name: '13 settimane' }).click()
    await expect(page.getByText('Fuori dal grafico: 500,50 € in ritardo', { exact: false })).toBeVisible()
    await expectAccessible(page)
    await page.getByRole('link', { name: 'Apri le fatture da incassare' }).click()
    await expect(page.getByRole('list', { name: 'Fatture' }).getByRole('listitem')).toHaveCount(2)
  })
})

test.describe('a card whose code cannot be had', () => {
  test.use({ persona: 'member' })

  test('stays away alone', async ({ page, account, console }) => {
    await addNeri(account)
    console.allow(/Failed to load resource/)
    const lost = page.waitForEvent('requestfailed', (request) => /cash-card/.test(request.url()))
    await page.route(/assets\/(?:cash-card|goals-card)-/, (route) => route.abort())
    await page.goto('/home')
    await lost
    await expect(page.getByRole('heading', { name: /Anna/ })).toBeVisible()
    await expect(cards(page).first()).toBeVisible()
    await expect(page.getByText('Qualcosa è andato storto')).toBeHidden()
  })
})
