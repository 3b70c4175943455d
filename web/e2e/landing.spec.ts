/**
 * The landing page for visitors: what it says, what it counts, and the offer that ends in a waiting list.
 */
import type { Page } from '@playwright/test'

import { stranger } from './support/accounts'
import { linkTo, newestMail } from './support/mailbox'
import { expectAccessible, expectNoSidewaysScroll } from './support/axe'
import { expect, test } from './support/test'

const HOUR_MS = 3_600_000
const START = new Date('2026-11-23T08:00:00Z')

const sections = [
  'Lavori in proprio, con un socio.',
  'Solo per i primi 100 utenti',
  'Perché te lo sto dicendo',
  'Un lunedì qualunque',
  'Otto cose che smetti di fare a mano',
  'Verso dove andiamo nel 2026',
  'Tre abbonamenti, oppure uno',
  'Un prezzo che sai prima',
  'Trenta giorni per ripensarci',
  'Prima e dopo',
  'Quello che chiedono tutti',
  'Comincia dalla prossima cosa da fare',
]

const section = (page: Page, name: string) => page.getByRole('region', { name })
const offer = (page: Page) => page.getByRole('complementary', { name: 'Solo per i primi 100 utenti' })
const timer = (page: Page) => offer(page).getByRole('timer', { name: 'Tempo rimasto' })

const form = (page: Page) => page.getByRole('form', { name: 'Entra nella lista d’attesa' })

/** Wakes the sections below the hero, whose script waits for somebody to do something. */
async function wake(page: Page): Promise<void> {
  await expect(async () => {
    // A person moves more than once, and the listeners may have come after the first time.
    await page.mouse.move(20 + Math.random() * 20, 20)
    await expect(page.locator('link[rel="modulepreload"][href*="/sections-"]')).toHaveCount(1, { timeout: 500 })
  }).toPass()
}

test('every section of the offer is there, in order @journey', async ({ page }) => {
  await page.goto('/')
  await expect(page.getByRole('main').getByRole('heading', { level: 1 })).toHaveText(sections[0] ?? '')
  await expect(page.getByRole('main').locator('h1, h2')).toHaveText(sections)
  await expect(section(page, 'Otto cose che smetti di fare a mano').getByRole('listitem')).toHaveCount(3 + 5)
  await expect(section(page, 'Prima e dopo').getByRole('figure')).toHaveCount(3)
  await expect(section(page, 'Quello che chiedono tutti').locator('details')).toHaveCount(4)
  await expect(page.getByRole('img', { name: /La pagina Home di Socio/ })).toBeVisible()
})

test('the product is seen at work in the first screen, and the page is short on a phone', async ({ page }) => {
  const picture = page.getByRole('img', { name: /La pagina Home di Socio/ })
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.goto('/')
  await expect(picture).toBeInViewport({ ratio: 1 })
  await page.setViewportSize({ width: 390, height: 844 })
  await expect(picture).toBeInViewport({ ratio: 0.5 })
  // Half of the 14,964 that it had with eight cards one under the other.
  expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThanOrEqual(7_482)
})

test('prices, savings and bonus are those of the specification, each with its base', async ({ page }) => {
  await page.goto('/')
  const rows = section(page, 'Tre abbonamenti, oppure uno').getByRole('row')
  await expect(rows).toContainText([
    /Strumento/,
    /20 €\/mese.*240 €\/anno/,
    /10 €\/mese.*120 €\/anno/,
    /45 €\/mese.*540 €\/anno/,
    /75 €\/mese.*900 €\/anno/,
    /9,99 €\/mese.*119,88 € all’anno/,
  ])
  await expect(section(page, 'Tre abbonamenti, oppure uno').getByRole('listitem')).toContainText([
    /Risparmi 780 € l’anno.*119,88 €.*9,99 €/,
    /Risparmi 660 € l’anno.*239,88 €.*19,99 €/,
    /120 € in più ogni anno.*19,99 €/,
  ])
  const plans = section(page, 'Un prezzo che sai prima')
  for (const [name, price, credits] of [
    ['Free', '0 €', '100 crediti alla registrazione'],
    ['Starter', '9,99 €', '500 crediti al mese'],
    ['Pro', '29,99 €', '2.000 crediti al mese'],
    ['Business', '99,99 €', '10.000 crediti al mese'],
  ] as const) {
    const card = plans.getByRole('listitem').filter({ has: page.getByRole('heading', { name, exact: true }) })
    await expect(card).toContainText(price)
    await expect(card).toContainText(credits)
  }
  await expect(plans.getByText('Più Popolare')).toBeVisible()
  await expect(plans.getByText('Enterprise', { exact: true })).toBeVisible()
  const last = section(page, 'Comincia dalla prossima cosa da fare')
  await expect(last.getByText('Valore totale 89 €')).toBeVisible()
  await wake(page)
  await last.getByText('Come lo calcoliamo').click()
  await expect(last.getByText(/500 crediti: valore 15 €/)).toBeVisible()
  await expect(section(page, 'Trenta giorni per ripensarci').getByText('Rimborso entro 30 giorni')).toBeVisible()
})

test('the links lead where the specification says', async ({ page }) => {
  await page.goto('/')
  const hrefs = await page.getByRole('link').evaluateAll((links) => links.map((link) => link.getAttribute('href')))
  expect(hrefs).toEqual(
    expect.arrayContaining([
      '/register',
      '/roadmap',
      '/pricing',
      '/faq',
      '/privacy-policy',
      '/terms-of-service',
      '/cookie-policy',
    ]),
  )
})

test('nothing of the sections is loaded before somebody does something', async ({ page }) => {
  const scripts: string[] = []
  page.on('request', (request) => {
    if (request.resourceType() === 'script') scripts.push(request.url())
  })
  await page.goto('/', { waitUntil: 'networkidle' })
  await expect(timer(page)).toBeVisible()
  expect(scripts.filter((url) => url.includes('/sections-'))).toEqual([])
  await wake(page)
})

test('the calculator reckons what the lost time costs', async ({ page }) => {
  await page.goto('/')
  await wake(page)
  const story = section(page, 'Un lunedì qualunque')
  await expect(story.getByText('275 ore, 8.250 € l’anno')).toBeVisible()
  await story.getByText('Metti i tuoi numeri').click()
  await expect(async () => {
    await story.getByRole('slider', { name: /Cercare messaggi/ }).fill('80')
    await story.getByRole('slider', { name: /Cercare messaggi/ }).fill('85')
    await expect(story.getByText('495 ore, 14.850 € l’anno')).toBeVisible({ timeout: 500 })
  }).toPass()
  await story.getByRole('slider', { name: /Quanto vale/ }).fill('50')
  await expect(story.getByText('495 ore, 24.750 € l’anno')).toBeVisible()
  await expect(story.getByText(/165 ore e 8\.250 €/)).toBeVisible()
})

test('the trial answers on sample data with its sources, and sends nothing anywhere', async ({ page }) => {
  await page.goto('/')
  await wake(page)
  const trial = section(page, 'Prova Socio su un’attività di esempio')
  const requests: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST') requests.push(request.url())
  })
  await expect(async () => {
    await trial.getByRole('textbox', { name: 'La tua domanda' }).fill('fatture scadute')
    await trial.getByRole('button', { name: 'Chiedi' }).click()
    await expect(trial.getByText(/Hai 2 fatture scadute, 1\.890,00\s€ in tutto/)).toBeVisible({ timeout: 500 })
  }).toPass()
  await expect(trial.getByRole('list', { name: 'Fonti' }).getByRole('listitem')).toContainText([
    'Fattura 18',
    'Fattura 21',
  ])
  await trial.getByRole('button', { name: 'Chi devo richiamare?' }).click()
  await expect(trial.getByText(/Studio Belli non risponde da 6 giorni/)).toBeVisible()
  await trial.getByRole('textbox', { name: 'La tua domanda' }).fill('Che tempo fa?')
  await trial.getByRole('textbox', { name: 'La tua domanda' }).press('Enter')
  await expect(trial.getByText(/Questa prova capisce poche domande/)).toBeVisible()
  expect(requests).toEqual([])
})

test.describe('somebody who agreed to statistics', () => {
  test('is counted as the specification says', async ({ page }) => {
    await page.addInitScript(() => localStorage.setItem('cookie_consent', 'accepted'))
    const events: unknown[] = []
    page.on('request', (request) => {
      if (!request.url().endsWith('/rest/v1/analytics_events')) return
      const { event_name, properties, user_id } = request.postDataJSON() as Record<string, unknown>
      // When a page is left.
      if (event_name !== 'web_vitals') events.push([event_name, properties, user_id])
    })
    const clicks = [
      [
        'Lavori in proprio, con un socio.',
        'Inizia gratis',
        ['hero_cta_click', { location: 'hero', action: 'register' }],
      ],
      ['Un prezzo che sai prima', 'Scegli Pro', ['plan_click', { plan: 'pro' }]],
      [
        'Comincia dalla prossima cosa da fare',
        'Crea il tuo account gratis',
        ['final_cta_click', { location: 'final' }],
      ],
    ] as const
    for (const [name, link, [event, properties]] of clicks) {
      await page.goto('/')
      await expect.poll(() => events).toEqual([['page_view', { page: 'landing' }, null]])
      await wake(page)
      await section(page, name).getByRole('link', { name: link }).click()
      await expect(page).toHaveURL(link === 'Scegli Pro' ? '/register?piano=pro' : '/register')
      await expect.poll(() => events.at(-1)).toEqual([event, properties, null])
      events.length = 0
    }
  })
})

test.describe('the early bird', () => {
  test('counts 47 hours from the first visit, in this browser, and its seats with them', async ({ page }) => {
    await page.clock.install({ time: START })
    await page.clock.pauseAt(START.getTime() + HOUR_MS)
    await page.goto('/')
    await expect(timer(page)).toHaveText('47ore00minuti00secondi')
    await expect(offer(page).getByTestId('seats')).toHaveText('37 posti su 100')
    await page.clock.runFor(1_000)
    await expect(timer(page)).toHaveText('46ore59minuti59secondi')

    await page.clock.fastForward(23.5 * HOUR_MS - 1_000)
    await page.reload()
    await expect(timer(page)).toHaveText('23ore30minuti00secondi')
    await expect(offer(page).getByTestId('seats')).toHaveText('68 posti su 100')
    await expect(offer(page).getByRole('progressbar', { name: 'Posti, stimati sul tempo' })).toHaveAttribute(
      'value',
      '68',
    )
    await expect(offer(page).getByText('L’offerta vale 47 ore dalla prima visita', { exact: false })).toBeVisible()
    await expect(form(page)).toHaveCount(0)
  })

  test('shows the seats really taken when scarcity is not simulated, and no time runs', async ({ page }) => {
    await page.route('**/rest/v1/site_settings*', (route) => route.fulfill({ json: [{ value: false }] }))
    const seats = page.waitForResponse(/rpc\/early_bird_seats/)
    await page.goto('/')
    const taken = (await (await seats).json()) as number
    await expect(offer(page).getByTestId('seats')).toHaveText(`${taken} posti su 100`)
    await expect(timer(page)).toHaveCount(0)
    await expect(offer(page).getByText('37 posti all’inizio', { exact: false })).toHaveCount(0)
  })

  test('leads to the waiting list when the hundred real seats are taken', async ({ page }) => {
    await page.route('**/rest/v1/site_settings*', (route) => route.fulfill({ json: [{ value: false }] }))
    await page.route('**/rest/v1/rpc/early_bird_seats', (route) => route.fulfill({ json: 100 }))
    await page.goto('/')
    await expect(offer(page).getByTestId('seats')).toHaveText('100 posti su 100')
    await expect(offer(page).getByText('L’offerta early bird è finita.')).toBeVisible()
    await wake(page)
    await expect(form(page)).toBeVisible()
  })

  test('says nothing of seats and time while it does not know', async ({ page, console }) => {
    console.allow(/net::ERR_FAILED/)
    await page.route('**/rest/v1/site_settings*', (route) => route.abort())
    await page.goto('/')
    await expect(offer(page).getByText('Parti con 600 crediti', { exact: true })).toBeVisible()
    await expect(offer(page).getByTestId('seats')).toBeHidden()
    await expect(timer(page)).toHaveCount(0)
  })
})

test('after the 47 hours a registration gets what the server still gives, and nothing says otherwise', async ({
  page,
}) => {
  await page.route('**/rest/v1/rpc/early_bird_seats', (route) => route.fulfill({ json: 3 }))
  await page.clock.install({ time: START })
  await page.goto('/')
  await expect(timer(page)).toBeVisible()
  await page.clock.fastForward(47 * HOUR_MS)
  await expect(timer(page)).toHaveCount(0)
  await expect(offer(page).getByTestId('seats')).toHaveText('3 posti su 100')
  await expect(offer(page).getByText('Parti con 600 crediti')).toBeVisible()
  await wake(page)
  await expect(section(page, 'Comincia dalla prossima cosa da fare').getByText('Valore totale 89 €')).toBeVisible()
  await expect(page.getByText(/offerta early bird è finita|posti early bird sono assegnati/)).toHaveCount(0)
})

test.describe('after the offer', () => {
  test.beforeEach(async ({ page }) => {
    await page.route('**/rest/v1/rpc/early_bird_seats', (route) => route.fulfill({ json: 100 }))
    await page.goto('/')
    await expect(offer(page).getByText('L’offerta early bird è finita.')).toBeVisible()
  })

  test('all seats are gone and the waiting list takes an address, which its owner confirms and takes back @journey', async ({
    page,
    elsewhere,
  }) => {
    const { email } = stranger()
    await expect(offer(page).getByTestId('seats')).toHaveText('100 posti su 100')
    await expect(timer(page)).toHaveCount(0)
    await wake(page)
    const last = section(page, 'Comincia dalla prossima cosa da fare')
    await expect(form(page)).toBeVisible()
    await expect(last.getByText(/Se sei tra i primi 100|Valore totale 89 €/)).toHaveCount(0)
    await offer(page).getByRole('link', { name: 'Entra nella lista d’attesa' }).click()
    await form(page).getByLabel('Email', { exact: true }).fill(email)
    await form(page)
      .getByRole('checkbox', { name: /Acconsento/ })
      .check()
    await form(page).getByRole('button', { name: 'Avvisami' }).click()
    await expect(page.getByRole('heading', { name: 'Controlla la tua casella email' })).toBeVisible()

    const mail = await newestMail(email)
    expect(mail.subject).toBe('Conferma il tuo posto in lista d’attesa')
    const link = linkTo('/lista-attesa', mail)
    const phone = await elsewhere()
    await phone.goto(link)
    await phone.getByRole('button', { name: 'Conferma l’indirizzo' }).click()
    await expect(phone.getByRole('heading', { name: 'Sei nella lista d’attesa' })).toBeVisible()
    await phone.goto(link)
    await phone.getByRole('button', { name: 'Toglimi dalla lista' }).click()
    await expect(phone.getByRole('heading', { name: 'Non sei più nella lista' })).toBeVisible()
  })

  test('a slip of the finger and a missing consent are told before anything is sent', async ({ page }) => {
    await wake(page)
    await form(page).getByLabel('Email', { exact: true }).fill('anna@')
    await form(page).getByRole('button', { name: 'Avvisami' }).click()
    await expect(form(page).getByRole('alert')).toHaveText('Email non valida')
    await expect(form(page).getByLabel('Email', { exact: true })).toBeFocused()
    await form(page).getByLabel('Email', { exact: true }).fill('anna@e2e.example')
    await form(page).getByRole('button', { name: 'Avvisami' }).click()
    await expect(form(page).getByRole('alert')).toHaveText('Serve il tuo consenso per scriverti')
  })

  test('a refusal of the server leaves what was typed and lets one try again', async ({ page, console }) => {
    console.allow(/429/)
    await page.route('**/functions/v1/join_waiting_list', (route) =>
      route.fulfill({
        status: 429,
        json: { code: 'over_request_rate_limit', message: 'Troppe richieste: riprova tra un’ora' },
      }),
    )
    await wake(page)
    await form(page).getByLabel('Email', { exact: true }).fill('anna@e2e.example')
    await form(page).getByRole('checkbox').check()
    await form(page).getByRole('button', { name: 'Avvisami' }).click()
    await expect(form(page).getByRole('alert')).toHaveText('Troppe richieste: riprova tra un’ora')
    await expect(form(page).getByLabel('Email', { exact: true })).toHaveValue('anna@e2e.example')
    await expect(form(page).getByRole('button', { name: 'Avvisami' })).toBeEnabled()
  })

  test('is accessible on a phone', async ({ page }) => {
    await page.setViewportSize({ width: 360, height: 740 })
    await wake(page)
    await expect(form(page)).toBeVisible()
    await expectAccessible(page)
    await expectNoSidewaysScroll(page)
  })
})

test('a link of the waiting list that is not complete, or of the past, says so', async ({ page, console }) => {
  console.allow(/410/)
  await page.goto('/lista-attesa')
  await expect(page.getByRole('heading', { name: 'Questo link non vale più' })).toBeVisible()
  await page.goto(`/lista-attesa?token=${'a'.repeat(43)}`)
  await page.getByRole('button', { name: 'Conferma l’indirizzo' }).click()
  await expect(page.getByRole('heading', { name: 'Questo link non vale più' })).toBeVisible()
})
