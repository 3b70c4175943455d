/**
 * Every claim of the catalogue stands on the pages it is made on, word by word, in the text that needs no script.
 *
 * tests/db/test_spec_literals.py compares the same catalogue with the promised numbers, and tests/db/
 * test_catalogue.py recomputes the arithmetic.
 */
import type { APIRequestContext } from '@playwright/test'

import { faq } from '../src/strings/faq'
import { expect, test } from './support/test'
import { readStack } from './support/stack'

type Claim = { surface: string; text: string; value: number | null }
type Pack = {
  credits: number
  bonus: number
  price_cents: number
  name: string
  store_name: string
  features: string[]
}
type Plan = { name: string; price_cents: number; credits: number; badge: string | null; features: string[] }
type Catalog = { plans: Plan[]; packs: Pack[]; claims: Record<string, Claim> }

const paths: Record<string, string> = {
  landing: '/',
  store: '/store',
  pricing: '/pricing',
  faq: '/faq',
  terms: '/terms-of-service',
  privacy: '/privacy-policy',
  cookie: '/cookie-policy',
}

/** Claims that are not words of the page but what it does, and where that is proved. */
const elsewhere = new Map([
  ['early_bird.countdown', 'landing.spec.ts: the countdown'],
  ['early_bird.seats_at_start', 'landing.spec.ts: the seats'],
  ['early_bird.seats_added', 'landing.spec.ts: the seats'],
  ['faq.all', 'below: eight questions'],
])

/** A figure and at most its unit: it could stand anywhere in the page, for anything. */
const BARE = /^[\d.,]+( [^\s/]+)?$/

/** Where the bare ones stand: the words of the page around each, which is «…» here. */
const places: Record<string, string> = {
  'terms.starter_price': 'Starter … al mese,',
  'terms.starter_credits': 'Starter 9,99 € al mese, …',
  'terms.pro_price': 'Pro … al mese,',
  'terms.pro_credits': 'Pro 24,99 € al mese, …',
  'terms.business_price': 'Business … al mese,',
  'terms.business_credits': 'Business 49,99 € al mese, …',
  'terms.action_min': 'è previsto un prezzo, da … a',
  'terms.action_max': 'a … crediti circa, che oggi non chiediamo',
  'terms.refund_days': 'Rimborso completo entro … se non hai usato i crediti',
  'terms.inactivity': 'Dopo … di inattività possiamo chiudere l’account',
  'terms.deletion_days': 'I dati sono cancellati … dopo la chiusura',
  'terms.minimum_age': 'Età minima: ….',
  'terms.bulk_recipients': 'Per gli invii a più di … consigliamo l’approvazione manuale',
  'retention.account': 'Dati dell’account Fino alla cancellazione, più …',
  'retention.memory': 'Memoria narrativa Fino alla cancellazione dell’account, più …',
  'retention.goals': 'Obiettivi degli agenti, una volta completati …',
  'retention.ethics': 'Registri etici …',
  'retention.insights': 'Suggerimenti proattivi …',
  'retention.billing':
    'Dati di fatturazione Finché hai l’account, e comunque per … dall’ultimo movimento, come chiede la legge',
  'retention.analytics': 'Statistiche d’uso …',
  'retention.backups': 'Copie di sicurezza …',
  'cookies.access': 'Token di accesso della sessione (session access token) …',
  'cookies.refresh': 'Token di rinnovo (refresh token) …',
  'cookies.product_session': '(product session id, session_id) Al massimo …',
  'cookies.consent': 'Consenso ai cookie (cookie_consent, cookie_consent_date) …',
  'cookies.analytics': 'Cookie statistici Al massimo …',
}

/** Without what a browser would not show as text; «1.150» is 1150, and every space is one space. */
function textOf(html: string): string {
  const body = html
    .slice(html.indexOf('<body'))
    .replace(/<(script|style|noscript)\b.*?<\/\1>/gs, ' ')
    .replace(/<!--.*?-->/g, '')
    .replace(/<\/?(span|strong|em|b|i|small|a|abbr|code|mark)\b[^>]*>/g, '')
    .replace(/<[^>]+>/g, ' ')
    .replaceAll('&nbsp;', ' ')
    .replaceAll('&amp;', '&')
    .replaceAll('&#x27;', "'")
    .replaceAll('&quot;', '"')
  return normalised(body)
}

const normalised = (text: string) => text.replace(/(?<=\d)\.(?=\d{3}\b)/g, '').replace(/\s+/g, ' ')

const euro = (cents: number) => `${(cents / 100).toFixed(2).replace('.', ',')} €`

async function catalogue(request: APIRequestContext): Promise<Catalog> {
  const { url, publishable_key } = readStack()
  const answer = await request.get(`${url}/rest/v1/rpc/catalog`, { headers: { apikey: publishable_key } })
  return (await answer.json()) as Catalog
}

for (const [surface, path] of Object.entries(paths)) {
  test(`${path} says every claim that the catalogue gives to it`, async ({ request }) => {
    const { claims } = await catalogue(request)
    const text = textOf(await (await request.get(path)).text()).toLowerCase()
    const own = Object.entries(claims).filter(([, claim]) => claim.surface.split(',').includes(surface))
    expect(own.length).toBeGreaterThan(0)
    const words = own.filter(([key]) => !elsewhere.has(key))
    expect(words.filter(([key, claim]) => BARE.test(claim.text) && !(key in places)).map(([key]) => key)).toEqual([])
    const sentences = words.map(([key, claim]) => normalised((places[key] ?? '…').replace('…', claim.text)))
    expect(sentences.filter((sentence) => !text.includes(sentence.toLowerCase()))).toEqual([])
  })
}

test('/roadmap says that the app of Q1 2026 is late', async ({ request }) => {
  const text = textOf(await (await request.get('/roadmap')).text())
  for (const part of [/app mobile/i, /Q1 2026/, /in ritardo/i]) expect(text).toMatch(part)
})

test('/faq has eight questions, the landing page the first four', async ({ request }) => {
  const questions = async (path: string) => textOf(await (await request.get(path)).text())
  const { claims } = await catalogue(request)
  const [all, some] = [await questions('/faq'), await questions('/')]
  expect(faq).toHaveLength(claims['faq.all']?.value ?? 0)
  for (const [index, { q }] of faq.entries()) {
    expect(all).toContain(normalised(q))
    expect(some.includes(normalised(q))).toBe(index < (claims['faq.on_landing']?.value ?? 0))
  }
})

test('/store and /pricing show each pack with its price, credits and bonus', async ({ request }) => {
  const { packs } = await catalogue(request)
  const store = textOf(await (await request.get('/store')).text())
  const pricing = textOf(await (await request.get('/pricing')).text())
  for (const { name, store_name, credits, bonus, price_cents, features } of packs) {
    for (const text of [store_name, euro(price_cents), `${credits} crediti`, `${credits + bonus} crediti in tutto`]) {
      expect(store).toContain(text)
    }
    if (bonus) expect(store).toContain(`+${bonus} in omaggio`)
    for (const text of [name, euro(price_cents), ...features]) expect(pricing).toContain(text)
  }
  expect(pricing.match(/Acquista Ora/g)).toHaveLength(3)
  expect(store).toContain('BEST VALUE')
})

for (const path of ['/', '/store']) {
  test(`${path} shows each plan with its price and credits`, async ({ request }) => {
    const { plans } = await catalogue(request)
    const text = textOf(await (await request.get(path)).text())
    for (const { name, price_cents, credits, badge, features } of plans) {
      const price = price_cents ? euro(price_cents) : /0(,00)? €/
      expect(text).toMatch(price)
      for (const part of [name, `${credits} crediti`, badge ?? '', ...features]) expect(text).toContain(part)
    }
  })
}
