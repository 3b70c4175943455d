import { expect, test } from 'vitest'

import { answerDraft, answerSubject, invoiceFact } from '@/strings/inbox'

const invoice = {
  number: '12',
  direction: 'attiva' as const,
  issued_on: '2026-10-03',
  total_cents: 122_000,
  due_cents: 100_000,
  currency: 'EUR',
  paid_on: null as string | null,
  schedules: [
    { due_on: '2026-10-31', paid_on: '2026-10-30' },
    { due_on: '2026-11-30', paid_on: null },
  ],
}
const plain = (text: string) => text.replaceAll('\u00A0', ' ')
const what = 'La fattura n. 12 del 3 ottobre 2026, di 1.000,00 €, risulta'

test.each([
  [{}, `${what} ancora da pagare: scade il 30 novembre 2026.`],
  [{ schedules: [] }, `${what} ancora da pagare.`],
  [{ paid_on: '2026-11-02' }, `${what} pagata il 2 novembre 2026.`],
])('an answer says how an invoice is: %o', (change, text) => {
  expect(plain(invoiceFact({ ...invoice, ...change }, '2026-11-20'))).toBe(text)
})

test('an answer begins with the facts and leaves the rest to its writer', () => {
  expect(plain(answerDraft('Neri srl', 'Studio Io', invoice, '2026-12-01'))).toBe(
    `Buongiorno Neri srl,\n\ngrazie per il messaggio.\n\n${what} ancora da pagare: scadeva il 30 novembre 2026.\n\nCordiali saluti\nStudio Io`,
  )
  expect(answerDraft('Ugo', 'Io', null)).toBe('Buongiorno Ugo,\n\ngrazie per il messaggio.\n\n\n\nCordiali saluti\nIo')
  expect(answerSubject('R: Re: Ordine')).toBe('Re: Ordine')
})
