/** What the public pages write out by hand, against the catalogue and the roadmap. */
import { expect, test } from 'vitest'

import { metaOf } from '@/app/site-meta'
import { sitePages } from '@/app/site-pages'
import catalog from '@/data/catalog.gen.json'
import { roadmap } from '@/data/roadmap'
import { texts } from '@/features/business-documents/texts'
import { faq } from '@/strings/faq'
import { formatCredits } from '@/strings/numbers'

const { claims, credit_prices, packs, plans } = catalog

const written = [
  ...faq.map(({ q, a }) => [q, a] as const),
  ...sitePages.map((page) => [page.path, metaOf(page).description] as const),
]

const euros = new Set([
  ...[...packs, ...plans].map(({ price_cents }) => price_cents / 100),
  ...Object.values(claims)
    .filter(({ text }) => text.includes('€'))
    .map((claim) => ('value' in claim ? claim.value : NaN)),
])
const credits = new Set<number>([
  ...packs.flatMap((pack) => [pack.credits, pack.bonus, pack.credits + pack.bonus]),
  ...plans.map((plan) => plan.credits),
  ...credit_prices.flatMap(({ min_credits, max_credits }) => [min_credits, max_credits]),
  ...[claims['welcome.credits'], claims['bonus.credits'], claims['early_bird.extra_credits']].map(({ value }) => value),
])

const euro = (cents: number) => `${(cents / 100).toFixed(2).replace('.', ',')} €`

const answer = (question: RegExp): string => faq.find(({ q }) => question.test(q))?.a ?? ''

function creditsOf(wanted: string): { min_credits: number; max_credits: number } {
  const price = credit_prices.find(({ action }) => action === wanted)
  if (!price) throw new Error(`${wanted} has no price`)
  return price
}

test.each(written)('every price and number of credits of «%s» is in the catalogue', (_, text) => {
  const found = (pattern: RegExp) =>
    Array.from(text.matchAll(pattern), ([, number = '']) => Number(number.replace('.', '').replace(',', '.')))
  for (const price of found(/([\d.,]*\d) €/g)) expect(euros).toContain(price)
  for (const amount of found(/([\d.,]*\d) credit[oi]/g)) expect(credits).toContain(amount)
})

test('the questions name the credits and prices of the catalogue', () => {
  const { value: welcome } = claims['welcome.credits']
  const { value: bonus } = claims['bonus.credits']
  const cost = answer(/Quanto costa/)
  expect(cost).toContain(`ricevi ${welcome} crediti gratis; se sei tra i primi 100, altri ${bonus}.`)
  expect(cost).toContain(
    `quei ${plans.find(({ id }) => id === 'free')?.credits} crediti alla registrazione, una volta sola`,
  )

  expect(answer(/Come funzionano i crediti/)).toContain(
    `Un messaggio in chat costa ${creditsOf('chat').max_credits} credito, una risposta approfondita ` +
      `${creditsOf('chat_deep').max_credits}, un consiglio dei cinque agenti ${creditsOf('advice').max_credits}: il prezzo lo leggi ` +
      `prima di inviare. Gli agenti con il tuo mandato sono gratis: un loro messaggio costa ${creditsOf('letter').max_credits} credito ` +
      `solo se lo fai scrivere all’assistente.`,
  )
  const [first, second, third] = packs.map(
    (pack) => [formatCredits(pack.credits + pack.bonus), euro(pack.price_cents)] as const,
  )
  expect(answer(/crediti extra/)).toContain(
    `${first?.[0]} crediti a ${first?.[1]}, ${second?.[0]} a ${second?.[1]} oppure ${third?.[0]} a ${third?.[1]}.`,
  )
})

test('channels that can be connected are told as there', () => {
  const done = roadmap.filter(({ state }) => state === 'fatto').map(({ title }) => title)
  expect(done).toContain('Email e WhatsApp collegati')
  expect(answer(/email e WhatsApp/)).toMatch(/^Sì, da Impostazioni/)
  expect(texts['guida-whatsapp-business']).not.toContain('(in arrivo)')
})
