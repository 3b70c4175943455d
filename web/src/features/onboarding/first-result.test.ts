import { expect, test } from 'vitest'

import type { Home } from '@/data/home'
import { firstResult } from '@/features/onboarding/first-result'
import { paths } from '@/paths'

import { makeHome } from '../../../test/home'

const { to_cash: none } = makeHome()
const firstDue = { name: 'Rossi', dueOn: '2026-12-03' }
const result = (change: Partial<Home>, rest: Partial<Parameters<typeof firstResult>[0]> = {}) =>
  firstResult({ home: makeHome(change), contacts: { all: 0, companies: 0 }, firstDue: null, ...rest })

test('what is late comes first, and names who is late longest', () => {
  const to_cash = { ...none, invoices: 5, open_cents: 500_000, late: 3, late_cents: 219_600 }
  const { sentence, action, facts } = result({ to_cash }, { firstDue, contacts: { all: 60, companies: 12 } })
  expect(sentence).toBe('Hai 3 fatture scadute per 2.196,00 €: la più vecchia è di Rossi.')
  expect(action?.path).toBe(paths.invoicesToCash)
  expect(facts).toEqual(['60 contatti, di cui 12 aziende', '5 fatture da incassare'])
})

test('one late invoice, and a sum that other currencies do not enter', () => {
  const to_cash = { ...none, invoices: 1, open_cents: 36_600, late: 1, late_cents: 36_600, others: { USD: 100 } }
  expect(result({ to_cash }, { firstDue }).sentence).toBe(
    'Hai 1 fattura scaduta per 366,00 € (altre valute a parte): è di Rossi.',
  )
  expect(result({ to_cash }).sentence).toBe('Hai 1 fattura scaduta per 366,00 € (altre valute a parte).')
})

test('without late ones the next due date is told', () => {
  const to_cash = { ...none, invoices: 2, open_cents: 100_000 }
  expect(result({ to_cash }, { firstDue }).sentence).toBe(
    'Hai 2 fatture da incassare per 1.000,00 €: la prossima scadenza è il 3 dicembre 2026, Rossi.',
  )
})

test.each<[string, Partial<Home>, string, string | undefined]>([
  [
    'bills',
    { to_pay: { ...none, invoices: 3, open_cents: 30_000, late: 1 } },
    'Hai 3 fatture da pagare per 300,00 €, 1 già scaduta.',
    paths.invoicesToPay,
  ],
  [
    'papers that wait',
    { waiting: { count: 2, issued: 0, issued_cents: 0, received: 2, received_cents: 100 } },
    '2 documenti aspettano una tua occhiata prima di entrare nei conti.',
    paths.invoicesToCheck,
  ],
  [
    'deals',
    { deals: { ...makeHome().deals, count: 1, cents: 120_000 } },
    'Hai 1 trattativa aperta per 1.200,00 €.',
    paths.crmDeals,
  ],
  [
    'nothing',
    {},
    'Non hai ancora portato niente: basta un elenco di contatti o una fattura, e qui trovi la prima risposta.',
    undefined,
  ],
])('%s are told where nothing is to be cashed', (_what, change, sentence, path) => {
  const told = result(change)
  expect(told.sentence).toBe(sentence)
  expect(told.action?.path).toBe(path)
})
