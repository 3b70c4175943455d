/**
 * /pricing and /store: what visitors see, and buying each pack on the fake Stripe's own page, with everything that goes
 * wrong on the way there and back.
 */
import type { Page } from '@playwright/test'

import { expect, test } from './support/test'

const packs = [
  { id: 'starter', name: 'Starter', button: 'Recupera il Tuo Primo Cliente', price: '9,99 €', credits: 100 },
  { id: 'pro', name: 'Pro', button: 'Automatizza la Tua Settimana', price: '39,99 €', credits: 550 },
  { id: 'enterprise', name: 'Enterprise', button: 'Blocca il Tuo Mese', price: '69,99 €', credits: 1150 },
] as const

const [starter, pro] = packs
const toasts = (page: Page) => page.getByRole('region', { name: /Avvisi/ })
const functionUrl = '**/functions/v1/create_checkout'

async function fillBilling(page: Page): Promise<void> {
  await page.getByLabel('Codice fiscale').fill('RCCMNL83S18D969H')
  await page.getByLabel('Indirizzo').fill('Via Roma 1')
  await page.getByLabel('CAP').fill('20121')
  await page.getByLabel('Comune').fill('Milano')
  await page.getByLabel('Provincia').fill('MI')
}

async function confirmBilling(page: Page): Promise<void> {
  await page.getByRole('checkbox').check()
  await page.getByRole('button', { name: 'Vai al pagamento' }).click()
}

/** From the store to the page where the card is asked for. */
async function openCheckout(page: Page, pack: { button: string }): Promise<void> {
  await page.goto('/store')
  await page.getByRole('button', { name: pack.button }).click()
  await fillBilling(page)
  await confirmBilling(page)
  await page.waitForURL(/\/c\/pay\//)
}

async function payWith(page: Page, number: string): Promise<void> {
  await page.getByLabel('Numero della carta').fill(number)
  await page.getByLabel('Scadenza').fill('12 / 34')
  await page.getByLabel('CVC').fill('123')
  await page.getByRole('button', { name: /^Paga/ }).click()
}

async function balance(page: Page): Promise<number> {
  const pill = page.getByRole('banner').getByRole('link', { name: /crediti: apri lo store/ })
  await expect(pill).toBeVisible()
  return Number(((await pill.getAttribute('aria-label')) ?? '').replace(/\D/g, ''))
}

const expectBalance = (page: Page, wanted: number) => expect.poll(() => balance(page)).toBe(wanted)

test.describe('visitors', () => {
  test('see the packs of /pricing and are asked to sign in @journey', async ({ page }) => {
    await page.goto('/pricing')
    await expect(page.getByRole('button', { name: 'Acquista Ora' })).toHaveCount(3)
    for (const pack of packs) {
      const card = page
        .getByRole('listitem')
        .filter({ has: page.getByRole('heading', { name: pack.name, exact: true }) })
      await expect(card.getByText(pack.price, { exact: true })).toBeVisible()
    }
    await expect(page.getByRole('heading', { name: 'Come funzionano i crediti?' })).toBeVisible()
    await expect(page.getByText(/crediti validi 12 mesi/i).first()).toBeVisible()

    await page.getByRole('button', { name: 'Acquista Ora' }).first().click()
    await expect(toasts(page)).toContainText('Login richiesto')
    await expect(toasts(page)).toContainText('Accedi al tuo account per acquistare crediti')
    await toasts(page).getByRole('button', { name: 'Accedi' }).click()
    await expect(page).toHaveURL('/login')
  })

  test('are told how many credits they need, and when none have to be bought', async ({ page }) => {
    await page.goto('/pricing')
    const answer = page.locator('output')
    await expect(answer).toContainText('Il pacchetto Starter (9,99 €) ti basta per un mese')
    await expect(answer).toContainText('I primi 100 sono gratis: li ricevi alla registrazione, una volta sola.')
    await page.getByLabel('Consigli dei cinque agenti').fill('10')
    await expect(answer).toContainText('Il pacchetto Pro (39,99 €) ti basta per 2 mesi')
    await page.getByLabel('Messaggi in chat').fill('200')
    await page.getByLabel('Risposte approfondite').fill('50')
    await page.getByLabel('Consigli dei cinque agenti').fill('20')
    await expect(answer).toContainText('2 pacchetti Enterprise al mese (139,98 €)')
    for (const what of ['Messaggi in chat', 'Risposte approfondite', 'Consigli dei cinque agenti']) {
      await page.getByLabel(what).fill('0')
    }
    await expect(answer).toContainText('Non ti serve nessun pacchetto')
  })

  test('see both tabs of the store and are asked to sign in', async ({ page }) => {
    await page.goto('/store')
    await expect(page.getByRole('tab', { name: 'Crediti (Top-Up)' })).toHaveAttribute('aria-selected', 'true')
    await expect(page.getByText('Solo per i primi 100 utenti')).toBeVisible()
    await expect(page.getByRole('table', { name: 'Confronto dei pacchetti di crediti' })).toBeVisible()
    await page.getByRole('button', { name: pro.button }).click()
    await expect(toasts(page)).toContainText('Accedi al tuo account per acquistare crediti')

    await page.getByRole('tab', { name: 'Crediti (Top-Up)' }).press('ArrowRight')
    await expect(page.getByRole('tab', { name: 'Rinnovo Automatico' })).toBeFocused()
    await expect(page.getByRole('button', { name: 'Piano Attuale' })).toBeDisabled()
    await expect(page.getByRole('button', { name: 'Sottoscrivi' })).toHaveCount(3)
    await expect(page.getByText('100 crediti alla registrazione')).toBeVisible()
    await page.getByRole('button', { name: 'Sottoscrivi' }).first().click()
    await expect(toasts(page)).toContainText('Accedi per sottoscrivere un piano')
  })
})

for (const [taken, warning] of [
  [58, /Solo per i primi 100 utenti\. Ne restano 42\./],
  [100, null],
] as const) {
  test(`the early-bird warning counts when ${taken} seats are really taken`, async ({ page }) => {
    await page.route('**/rest/v1/site_settings?**', (route) => route.fulfill({ json: [{ value: false }] }))
    await page.route('**/rest/v1/rpc/early_bird_seats', (route) => route.fulfill({ json: taken }))
    await page.goto('/store')
    if (warning) await expect(page.getByText(warning)).toBeVisible()
    else await expect(page.getByText('Solo per i primi 100 utenti')).toHaveCount(0)
  })
}

test('after the 47 hours the early-bird warning counts the seats that are left', async ({ page }) => {
  await page.route('**/rest/v1/rpc/early_bird_seats', (route) => route.fulfill({ json: 3 }))
  await page.clock.install()
  await page.goto('/store')
  await expect(page.getByText('Solo per i primi 100 utenti')).toBeVisible()
  await expect.poll(() => page.evaluate(() => localStorage.getItem('early_bird_ends_at'))).not.toBeNull()
  await page.clock.fastForward('47:00:00')
  await expect(page.getByText(/Solo per i primi 100 utenti\. Ne restano 97\./)).toBeVisible()
})

for (const [width, height] of [
  [1366, 768],
  [390, 844],
] as const) {
  test(`a pack can be bought in the first screen of ${width}x${height}`, async ({ page }) => {
    await page.setViewportSize({ width, height })
    await page.goto('/store')
    await expect(page.getByRole('button', { name: starter.button })).toBeInViewport({ ratio: 1 })
  })
}

test('without a model the store says what credits buy and what is free', async ({ page }) => {
  await page.route('**/functions/v1/chat_settings', (route) => route.fulfill({ json: { ai: false } }))
  await page.goto('/store')
  await expect(page.getByRole('note')).toContainText('Qui oggi non è collegato nessun modello di IA.')
  await expect(page.getByText('Gratis, sempre')).toBeVisible()
})

test.describe('somebody who signs in to buy', () => {
  test.use({ persona: 'member' })

  test('comes back to the store', async ({ elsewhere, account }) => {
    const page = await elsewhere()
    await page.goto('/store')
    await page.getByRole('button', { name: starter.button }).click()
    await toasts(page).getByRole('button', { name: 'Accedi' }).click()
    await page.getByLabel('Email').fill(account.email)
    await page.getByLabel('Password', { exact: true }).fill(account.password)
    await page.getByRole('main').getByRole('button', { name: 'Accedi', exact: true }).click()
    await expect(page).toHaveURL('/store')
  })
})

test.describe('somebody whose session ended while they paid', () => {
  test.use({ persona: 'member' })

  test('signs in and sees what became of it', async ({ elsewhere, account, console }) => {
    console.allow(/404/)
    const page = await elsewhere()
    await page.goto('/store/success?session_id=cs_test_of_nobody')
    await page.getByLabel('Email').fill(account.email)
    await page.getByLabel('Password', { exact: true }).fill(account.password)
    await page.getByRole('main').getByRole('button', { name: 'Accedi', exact: true }).click()
    await expect(page).toHaveURL('/store/success?session_id=cs_test_of_nobody')
    await expect(page.getByRole('heading', { name: 'Non troviamo questo pagamento' })).toBeVisible()
  })
})

test.describe('a member', () => {
  test.use({ persona: 'member' })

  for (const pack of packs) {
    const tag = pack === starter ? ' @journey' : ''
    test(`buys ${pack.name} and has ${pack.credits} credits more, once${tag}`, async ({ page, context }) => {
      await page.goto('/store')
      const before = await balance(page)
      await openCheckout(page, pack)
      await expect(page.getByText(pack.price).first()).toBeVisible()
      await payWith(page, '4242 4242 4242 4242')

      const wanted = `Accreditati ${pack.credits.toLocaleString('it-IT', { useGrouping: 'always' })} crediti`
      await expect(page.getByRole('heading', { name: wanted })).toBeVisible()
      await expectBalance(page, before + pack.credits)
      await page.reload()
      await expect(page.getByRole('heading', { name: wanted })).toBeVisible()

      const replay = await context.newPage()
      await replay.goto(page.url())
      await expect(replay.getByRole('heading', { name: wanted })).toBeVisible()
      await expectBalance(replay, before + pack.credits)
      await page.getByRole('link', { name: 'Vedi la ricevuta' }).click()
      await expect(page).toHaveURL('/settings/credits')
    })
  }

  test('writes the billing data once: the next purchase knows them', async ({ page }) => {
    await openCheckout(page, starter)
    await page.goto('/store')
    await page.getByRole('button', { name: pro.button }).click()
    await expect(page.getByLabel('Codice fiscale')).toHaveValue('RCCMNL83S18D969H')
    await expect(page.getByLabel('Comune')).toHaveValue('Milano')
    await expect(page.getByRole('checkbox')).not.toBeChecked()
  })

  test('sees the button that pays at 1366x768, however long the form is', async ({ page }) => {
    await page.setViewportSize({ width: 1366, height: 768 })
    await page.goto('/store')
    await page.getByRole('button', { name: pro.button }).click()
    await expect(page.getByRole('button', { name: 'Vai al pagamento' })).toBeInViewport({ ratio: 1 })
    await page.getByText('Partita IVA', { exact: true }).first().click()
    await expect(page.getByRole('button', { name: 'Vai al pagamento' })).toBeInViewport({ ratio: 1 })
  })

  test('is told which billing data are wrong, and nothing is sent', async ({ page }) => {
    let calls = 0
    await page.route(functionUrl, (route) => {
      calls += 1
      return route.abort()
    })
    await page.goto('/store')
    await page.getByRole('button', { name: starter.button }).click()
    await page.getByRole('radio', { name: 'Partita IVA' }).check()
    await page.getByRole('textbox', { name: 'Partita IVA' }).fill('00743110158')
    await page.getByRole('button', { name: 'Vai al pagamento' }).click()
    await expect(page.getByText('Partita IVA non valida')).toBeVisible()
    await expect(page.getByRole('textbox', { name: 'Partita IVA' })).toBeFocused()
    await expect(page.getByText('Scrivi il codice destinatario, oppure la PEC')).toBeVisible()
    await expect(page.getByText('Per continuare serve la tua conferma')).toBeVisible()
    expect(calls).toBe(0)

    await page.getByRole('button', { name: 'Chiudi' }).click()
    await expect(page.getByRole('button', { name: starter.button })).toBeEnabled()
  })

  test('is sent to the checkout once, however often the buttons are pressed', async ({ page }) => {
    const bodies: unknown[] = []
    await page.route(functionUrl, async (route) => {
      bodies.push(route.request().postDataJSON())
      await route.continue()
    })
    await page.goto('/store')
    await page.getByRole('button', { name: pro.button }).dblclick()
    await expect(page.getByRole('dialog')).toHaveCount(1)
    await fillBilling(page)
    await page.getByRole('checkbox').check()
    await page.getByRole('button', { name: 'Vai al pagamento' }).dblclick()
    await page.waitForURL(/\/c\/pay\//)
    expect(bodies).toHaveLength(1)
    expect(bodies[0]).toMatchObject({
      packType: 'pro',
      billing: { kind: 'persona', tax_code: 'RCCMNL83S18D969H' },
      withdrawalWaiver: true,
    })
  })

  const failures = {
    'the server fails': { status: 500, json: { code: 'unexpected_failure', message: 'boom' } },
    'the answer has no url': { status: 200, json: {} },
    'the answer is empty': { status: 200, json: null },
  }
  test('gets the button back when the purchase does not begin', async ({ page, console }) => {
    console.allow(/500/)
    for (const [what, answer] of Object.entries(failures)) {
      await test.step(what, async () => {
        await page.unrouteAll()
        await page.route(functionUrl, (route) => route.fulfill(answer))
        await page.goto('/store')
        await page.getByRole('button', { name: pro.button }).click()
        await expect(page.getByRole('button', { name: 'Elaborazione...', includeHidden: true })).toBeDisabled()
        await fillBilling(page)
        await confirmBilling(page)
        await expect(toasts(page)).toContainText('Si è verificato un problema. Riprova o contatta il supporto.')
        await expect(toasts(page).getByRole('button')).toHaveCount(0)
        await expect(page.getByRole('button', { name: pro.button })).toBeEnabled()
      })
    }
  })

  test('can write to the support when a purchase of /pricing fails', async ({ page, console }) => {
    console.allow(/Failed to load|ERR_FAILED/)
    await page.route(functionUrl, (route) => route.abort())
    await page.goto('/pricing')
    await page.getByRole('button', { name: 'Acquista Ora' }).first().click()
    await fillBilling(page)
    await confirmBilling(page)
    await expect(toasts(page)).toContainText('Acquisto non riuscito')
    await expect(toasts(page)).toContainText(
      'Si è verificato un problema con il pagamento. Riprova o contatta il supporto.',
    )
    await expect(toasts(page).getByRole('button', { name: 'Contatta supporto' })).toBeVisible()
    await expect(page.getByRole('button', { name: 'Acquista Ora' }).first()).toBeEnabled()
  })

  test('is told that subscriptions come later, without any call', async ({ page }) => {
    await page.goto('/store')
    await page.getByRole('tab', { name: 'Rinnovo Automatico' }).click()
    const calls: string[] = []
    page.on('request', (request) => calls.push(request.url()))
    await page.getByRole('button', { name: 'Sottoscrivi' }).first().click()
    await expect(toasts(page)).toContainText('Prossimamente')
    expect(calls.filter((url) => url.includes('/functions/'))).toEqual([])
  })

  test('comes back from a refused card, and by the back button, without having paid', async ({ page, console }) => {
    // Stripe answers a refused card with 402.
    console.allow(/402/)
    await page.goto('/store')
    const before = await balance(page)
    await openCheckout(page, starter)
    await payWith(page, '4000 0000 0000 0002')
    await expect(page.getByText('La carta è stata rifiutata')).toBeVisible()
    await page.getByRole('link', { name: 'Annulla e torna al negozio' }).click()
    await expect(page.getByText('Pagamento annullato: non ti è stato addebitato nulla.')).toBeVisible()
    await expectBalance(page, before)

    await openCheckout(page, pro)
    await page.goBack()
    await expect(page.getByRole('button', { name: pro.button })).toBeEnabled()
    await expect(page.getByRole('dialog')).toHaveCount(0)
  })

  test('buys on a phone, in the dark', async ({ page }) => {
    await page.setViewportSize({ width: 360, height: 740 })
    await page.emulateMedia({ colorScheme: 'dark' })
    await openCheckout(page, starter)
    await payWith(page, '4242 4242 4242 4242')
    await expect(page.getByRole('heading', { name: 'Accreditati 100 crediti' })).toBeVisible()
  })

  test('confirms with the bank where the card asks for it', async ({ page }) => {
    await openCheckout(page, starter)
    await payWith(page, '4000 0025 0000 3155')
    await page.getByRole('button', { name: /Conferma/ }).click()
    await expect(page.getByRole('heading', { name: 'Accreditati 100 crediti' })).toBeVisible()
  })

  test('has the credits even when the tab is closed while the payment goes through', async ({ page, context }) => {
    await page.goto('/home')
    const before = await balance(page)
    const shop = await context.newPage()
    await openCheckout(shop, pro)
    // Nobody comes back to the success page: the webhook alone brings the credits.
    await shop.route('**/store/success**', (route) => route.abort())
    await payWith(shop, '4242 4242 4242 4242')
    await shop.close()
    await expectBalance(page, before + pro.credits)
  })

  const outcomes = {
    failed: 'Pagamento non riuscito',
    expired: 'Pagamento scaduto',
    refunded: 'Acquisto rimborsato',
    review: 'Stiamo verificando il pagamento',
  }
  test('waits for the credits and is told what to do when they do not come', async ({ page }) => {
    let answer = { state: 'pending', credits: 550 }
    await page.route('**/functions/v1/checkout_status', (route) => route.fulfill({ json: answer }))
    for (const [state, title] of Object.entries(outcomes)) {
      await test.step(state, async () => {
        answer = { state: 'pending', credits: 550 }
        await page.goto('/store/success?session_id=cs_test_1')
        await expect(page.getByRole('heading', { name: 'Stiamo accreditando…' })).toBeVisible()
        answer = { state, credits: 550 }
        await expect(page.getByRole('heading', { name: title })).toBeVisible()
        await page.getByRole('link', { name: 'Torna allo store' }).click()
        await expect(page).toHaveURL('/store')
      })
    }
  })

  test('keeps waiting while the server is away', async ({ page, console }) => {
    console.allow(/Failed to load|ERR_FAILED/)
    let isAway = true
    await page.route('**/functions/v1/checkout_status', (route) =>
      isAway ? route.abort() : route.fulfill({ json: { state: 'fulfilled', credits: 1150 } }),
    )
    await page.goto('/store/success?session_id=cs_test_1')
    await expect(page.getByText('Non riusciamo a leggere l’esito del pagamento.')).toBeVisible()
    isAway = false
    await expect(page.getByRole('heading', { name: 'Accreditati 1.150 crediti' })).toBeVisible()
  })

  test('learns nothing from the address of somebody else’s purchase', async ({ page, console }) => {
    console.allow(/404/)
    await page.goto('/store/success?session_id=cs_test_of_nobody')
    await expect(page.getByRole('heading', { name: 'Non troviamo questo pagamento' })).toBeVisible()
  })
})
