import { expect, test } from 'vitest'

import { reminderLetter } from '@/strings/reminders'

const invoice = { number: '12', cents: 122_000, currency: 'EUR', issuedOn: '2026-10-03', dueOn: '2026-11-02' }
const letter = (isCompany: boolean, lateDays: number | null) =>
  reminderLetter('Anna Verdi', isCompany, 'Giulia', { ...invoice, lateDays }).body.replaceAll('\u00a0', ' ')

test.each([
  [null, 'Le ricordo che la fattura n. 12 del 3 ottobre 2026, di 1.220,00 €, scade il 2 novembre 2026.'],
  [5, 'La fattura n. 12 del 3 ottobre 2026, di 1.220,00 €, risulta ancora da saldare: scadeva il 2 novembre 2026.'],
  [
    40,
    'La fattura n. 12 del 3 ottobre 2026, di 1.220,00 €, è scaduta il 2 novembre 2026, da 40 giorni, e non risulta pagata.',
  ],
])('the later it is, the firmer the letter (%s days)', (lateDays, sentence) => {
  expect(letter(false, lateDays)).toContain(sentence)
})

test('companies are addressed with «voi», people with «Lei»', () => {
  expect(letter(true, 40)).toMatch(
    /^Spett\.le Anna Verdi,[^]*Vi chiedo[^]*come intendete procedere\.\n\nCordiali saluti\nGiulia$/,
  )
  expect(letter(false, 5)).toMatch(/^Gentile Anna Verdi,[^]*Mi fa sapere quando pensa di poterla pagare\?/)
})

test('the account is named before the request, in whose name it is where that is another', () => {
  const payTo = { iban: 'IT60X0542811101000000123456', holder: null }
  const { body } = reminderLetter('Anna Verdi', false, 'Giulia', { ...invoice, lateDays: 5, payTo })
  expect(body).toMatch(/novembre 2026\.\n\nIBAN per il bonifico: IT60 X054 2811 1010 0000 0123 456\n\nMi fa sapere/)
  const other = reminderLetter('Anna Verdi', false, 'Giulia', {
    ...invoice,
    lateDays: 5,
    payTo: { ...payTo, holder: 'Ferri snc' },
  })
  expect(other.body).toContain('0123 456 (intestato a Ferri snc)')
  expect(letter(false, 5)).not.toContain('IBAN')
})
