/**
 * The public site: what is there without JavaScript, what robots read, and what the light entry does.
 */
import type { Response } from '@playwright/test'

import { createAccount } from './support/accounts'
import { expectAccessible } from './support/axe'
import { expect, sessionKey, test } from './support/test'

const legal = ['Torna alla Home', 'Indice', '3 novembre 2025', 'Versione 2.0']

/** Every public page with texts that must be in its HTML, to the letter. */
const pages: { path: string; heading: string; texts: string[] }[] = [
  {
    path: '/',
    heading: 'Lavori in proprio, con un socio.',
    texts: ['9,99 €/mese', '780 €', '660 €', '500 crediti gratis', 'Valore totale 89 €', 'App mobile Q1 2026'],
  },
  {
    path: '/pricing',
    heading: 'Un prezzo per quello che usi',
    texts: ['Acquista Ora', 'Come funzionano i crediti?', '9,99 €', '39,99 €', '69,99 €', 'Crediti validi 12 mesi'],
  },
  {
    path: '/store',
    heading: 'Ricarica i tuoi crediti',
    texts: [
      'Crediti (Top-Up)',
      'Rinnovo Automatico',
      'Recupera il Tuo Primo Cliente',
      'Automatizza la Tua Settimana',
      'Blocca il Tuo Mese',
      'BEST VALUE',
      '20% di sconto',
      '30% di sconto',
    ],
  },
  { path: '/roadmap', heading: 'Roadmap', texts: ['App mobile', 'Q1 2026', 'in ritardo', 'Cinque agenti'] },
  { path: '/faq', heading: 'Domande frequenti', texts: ['30 secondi', '1.000 crediti a 10 €', 'in ritardo'] },
  { path: '/status', heading: 'Stato del servizio', texts: ['Lavori in background', 'ultimi 90 giorni'] },
  { path: '/changelog', heading: 'Novità', texts: ['26 novembre 2026', '20 novembre 2026'] },
  {
    path: '/privacy-policy',
    heading: 'Privacy Policy',
    texts: [
      ...legal,
      'Introduzione',
      'Dati raccolti',
      'Base giuridica',
      'Uso dei dati',
      'Condivisione',
      'Diritti GDPR',
      'Sicurezza',
      'Conservazione',
      'Fino alla cancellazione, più 30 giorni',
      '90 giorni',
      '12 mesi',
      '10 anni',
      '24 mesi',
    ],
  },
  {
    path: '/terms-of-service',
    heading: 'Termini di Servizio',
    texts: [
      ...legal,
      'In caso di differenze vale la condizione più favorevole al cliente',
      '50 crediti al mese',
      '9,99 €',
      '24,99 €',
      '49,99 €',
      '500 crediti',
      '2.000 crediti',
      '5.000 crediti',
      'crediti illimitati',
      'da 5 a 10 crediti',
      'scadono alla fine del periodo',
      'non scadono',
      '14 giorni',
      '30 giorni di preavviso',
      '12 mesi',
      '16 anni',
      '100 destinatari',
      'account multipli',
    ],
  },
  {
    path: '/cookie-policy',
    heading: 'Cookie Policy',
    texts: [...legal, '1 ora', '30 giorni', '365 giorni', '2 anni', 'cookie_consent', 'theme', 'language'],
  },
  {
    path: '/business-documents',
    heading: 'Documenti per la tua attività',
    texts: ['Bozza di progetto', 'Business plan', 'Preventivo e consuntivo costi', 'WhatsApp Business'],
  },
]

const nowhere = '/pagina-inesistente'

/** Of all JavaScript that the landing page loads while nobody does anything, as it travels (GOAL-P15). */
const LANDING_BYTES = 90 * 1024

for (const [device, viewport] of Object.entries({
  phone: { width: 360, height: 740 },
  desktop: { width: 1440, height: 900 },
})) {
  test.describe(`without JavaScript, on a ${device}${device === 'phone' ? ' @journey' : ''}`, () => {
    test.use({ javaScriptEnabled: false, viewport })

    test('every page can be read', async ({ page }) => {
      for (const { path, heading, texts } of pages) {
        await test.step(path, async () => {
          const answer = await page.goto(path)
          expect(answer?.status()).toBe(200)
          await expect(page.getByRole('heading', { level: 1, name: heading })).toBeVisible()
          // Answers of the questions are folded away, and still in the page.
          const main = page.getByRole('main')
          const text = path === '/faq' ? await main.textContent() : await main.innerText()
          // Amounts keep together with what they count.
          const read = text?.replaceAll('\u00a0', ' ')
          for (const part of texts) expect(read).toContain(part)
          await expect(page.getByRole('banner').getByRole('link', { name: 'Login' })).toBeVisible()
          await expect(page.getByRole('banner').getByRole('link', { name: 'Sign Up' })).toBeVisible()
          await expect(page.getByRole('contentinfo')).toContainText('Socio S.r.l.')
        })
      }
    })

    test('an unknown address is a 404 that says so', async ({ page, console }) => {
      console.allow(/404/)
      const answer = await page.goto(nowhere)
      expect(answer?.status()).toBe(404)
      await expect(page.getByText('404', { exact: true })).toBeVisible()
      await expect(page.getByRole('heading', { name: 'Pagina non trovata' })).toBeVisible()
      await expect(page.getByText('La pagina che stai cercando non esiste o è stata spostata.')).toBeVisible()
      await expect(page.getByRole('link', { name: 'Home', exact: true })).toBeVisible()
    })
  })
}

for (const half of [pages.slice(0, 5), [...pages.slice(5), { path: nowhere }]]) {
  const paths = half.map(({ path }) => path)
  // On phones the list of screens is walked (accessibility.spec.ts).
  test(`is accessible on a desktop, light and dark: ${paths.join(' ')}`, async ({ page, console }) => {
    console.allow(/404/)
    await page.setViewportSize({ width: 1440, height: 900 })
    for (const path of paths) {
      await test.step(path, async () => {
        await page.goto(path)
        await page.evaluate(() => document.fonts.ready)
        await expectAccessible(page)
      })
    }
  })
}

test('every page has a head of its own, which the client keeps', async ({ page, request }) => {
  const seen = new Set<string>()
  for (const { path } of pages) {
    const html = await (await request.get(path)).text()
    const title = /<title>(.+)<\/title>/.exec(html)?.[1] ?? ''
    const description = /<meta name="description" content="(.+?)"/.exec(html)?.[1] ?? ''
    expect(title).toMatch(/ · Socio$/)
    expect(description.length, path).toBeGreaterThan(50)
    expect(html).toContain(`<meta property="og:title" content="${title}" />`)
    expect(html).toMatch(/<meta property="og:image" content="http.+\/social-card.png" \/>/)
    if (path === '/') {
      expect(html).toMatch(/<link rel="canonical" href="http:\/\/[^/]+\/" \/>/)
    } else if (path === '/business-documents') {
      expect(html).toContain('<meta name="robots" content="noindex" />')
      expect(html).not.toContain('og:url')
    } else {
      expect(html).toMatch(new RegExp(`<link rel="canonical" href="http[^"]+${path}" />`))
      expect(html).toMatch(new RegExp(`<meta property="og:url" content="http[^"]+${path}" />`))
    }
    seen.add(title).add(description)
    await page.goto(path)
    await expect(page).toHaveTitle(title)
  }
  expect(seen.size).toBe(pages.length * 2)
})

test('robots find the pages, the offers and the questions', async ({ request }) => {
  const sitemap = await (await request.get('/sitemap.xml')).text()
  for (const { path } of pages) expect(sitemap.includes(`${path}</loc>`), path).toBe(path !== '/business-documents')
  expect(await (await request.get('/robots.txt')).text()).toMatch(/Sitemap: http.+\/sitemap.xml/)
  expect(await (await request.get('/.well-known/security.txt')).text()).toMatch(/Contact: mailto:[\s\S]+Expires: 20/)
  const data = async (path: string): Promise<{ '@type': string }[]> =>
    Array.from(
      (await (await request.get(path)).text()).matchAll(/<script type="application\/ld\+json">(.+?)<\/script>/g),
      (match) => JSON.parse(match[1] ?? '') as { '@type': string },
    )
  expect(await data('/faq')).toMatchObject([{ '@type': 'FAQPage', mainEntity: { length: 8 } }])
  expect(await data('/')).toMatchObject([
    { '@type': 'Organization' },
    { '@type': 'SoftwareApplication', offers: [{ price: '9.99' }, { price: '39.99' }, { price: '69.99' }] },
  ])
  expect((await request.get('/social-card.png')).headers()['content-type']).toBe('image/png')
})

test('the landing page stays light for whoever does nothing but read', async ({ page }) => {
  const answers: Promise<Response | null>[] = []
  page.on('request', (request) => {
    if (request.resourceType() === 'script') answers.push(request.response())
  })
  await page.clock.install()
  await page.goto('/', { waitUntil: 'networkidle' })
  // What waits for its moment has it now; what it asks for has been asked once a later question is answered.
  await page.clock.runFor(60_000)
  await page.evaluate(async () => (await fetch('/robots.txt')).text())
  let size = 0
  for (const answer of await Promise.all(answers)) {
    size += (await answer?.request().sizes())?.responseBodySize ?? 0
  }
  expect(size).toBeGreaterThan(50 * 1024)
  expect(size).toBeLessThanOrEqual(LANDING_BYTES)
})

test('the site stays light until somebody leaves it for the app', async ({ page }) => {
  const scripts: string[] = []
  page.on('request', (request) => {
    if (request.resourceType() === 'script') scripts.push(new URL(request.url()).pathname)
  })
  const loadedApp = () => scripts.some((path) => /\/(?:start-app|app|supabase)-/.test(path))
  await page.goto('/faq')
  await page.getByRole('contentinfo').getByRole('link', { name: 'Roadmap' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Roadmap' })).toBeVisible()
  await expect(page).toHaveTitle('Roadmap · Socio')
  expect(await page.evaluate(() => window.scrollY)).toBe(0)
  expect(loadedApp()).toBe(false)

  // Whoever aims at a door of the app finds it open.
  await page.getByRole('banner').getByRole('link', { name: 'Login' }).hover()
  await expect.poll(loadedApp).toBe(true)
  await page.getByRole('banner').getByRole('link', { name: 'Login' }).click()
  await expect(page).toHaveURL('/login')
  await expect(page.getByRole('heading', { name: /Accedi a Socio/ })).toBeVisible()
  await page.goBack()
  await expect(page.getByRole('heading', { level: 1, name: 'Roadmap' })).toBeVisible()
})

test('somebody who signs in elsewhere gets the app here too', async ({ page, context }) => {
  const account = await createAccount({ onboarded: true })
  await page.goto('/faq')
  await expect(page.getByRole('banner').getByRole('link', { name: 'Login' })).toBeVisible()
  const other = await context.newPage()
  await other.goto('/cookie-policy')
  await other.evaluate(
    ([key = '', value = '']) => localStorage.setItem(key, value),
    [sessionKey, JSON.stringify(account.session)],
  )
  await expect(page.getByRole('banner').getByRole('button', { name: 'Logout' })).toBeVisible()
  await expect(page.getByRole('heading', { level: 1, name: 'Domande frequenti' })).toBeVisible()
})

test.describe('a member', () => {
  test.use({ persona: 'member' })

  test('reads the site inside the app, and never sees the page of visitors', async ({ page }) => {
    await page.addInitScript(() => {
      document.addEventListener('DOMContentLoaded', () => {
        document.documentElement.dataset.seen = getComputedStyle(document.body).visibility
      })
    })
    await page.goto('/faq')
    await expect(page.getByRole('heading', { level: 1, name: 'Domande frequenti' })).toBeVisible()
    await expect(page.getByRole('navigation', { name: 'Principale' })).toBeVisible()
    await expect(page.getByRole('banner').getByRole('button', { name: 'Logout' })).toBeVisible()
    await expect(page.locator('html')).toHaveAttribute('data-seen', 'hidden')
    await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1)
  })
})

test.describe('the documents', () => {
  test('are made on click and real, and the page can be deleted @journey', async ({ page }) => {
    await page.goto('/business-documents')
    for (const title of ['Bozza di progetto', 'Business plan', 'Preventivo e consuntivo costi', /WhatsApp Business/]) {
      const download = page.waitForEvent('download')
      await page.getByRole('button', { name: title }).click()
      const file = await download
      expect(file.suggestedFilename()).toMatch(/\.txt$/)
      const chunks: Buffer[] = []
      for await (const chunk of await file.createReadStream()) chunks.push(chunk as Buffer)
      expect(Buffer.concat(chunks).toString('utf8').length).toBeGreaterThan(1500)
    }
    await page.getByRole('button', { name: /elimina la pagina/ }).click()
    await expect(page.getByRole('heading', { name: 'Pagina Eliminata' })).toBeVisible()
    await expect(page.getByRole('button', { name: 'Bozza di progetto' })).toBeHidden()
    await page.getByRole('link', { name: 'Torna alla Home' }).click()
    await expect(page).toHaveURL('/')
    await page.goto('/business-documents')
    await expect(page.getByRole('button', { name: /Bozza di progetto/ })).toBeVisible()
  })
})
