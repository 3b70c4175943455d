import { describe, expect, it } from 'vitest'

import { fillPlaces, openNames } from '@/lib/mail-places'
import { mailStarters } from '@/strings/mail-starters'
import { exampleAbout, isMailVariable, type MailAbout, mailValues, mailVariables } from '@/strings/mail-variables'

const about: MailAbout = exampleAbout({ name: 'Giulia Ferri', business: 'Studio Ferri' }, '2026-11-28')
const invoice = about.invoice && { ...about.invoice, openCents: 60_000, lateCents: 20_000 }

const filled = (text: string, change: Partial<MailAbout> = {}): string =>
  fillPlaces(text, mailValues({ ...about, ...change })).replaceAll('\u00A0', ' ')

const allNames = mailVariables.flatMap(({ variables }) => variables.map(({ name }) => name))

it('every place has its own name, which the text of a template finds', () => {
  expect(new Set(allNames).size).toBe(allNames.length)
  for (const name of allNames) expect(openNames(`{{${name}}}`)).toEqual([name])
})

it('the example has a value for every place', () => {
  expect([...mailValues(about).keys()]).toEqual(allNames)
})

describe('mailValues', () => {
  it('writes money and days as people do', () => {
    expect(filled('{{numero fattura}} del {{data fattura}}: {{importo fattura}}, {{oggi}}')).toBe(
      '12/2026 del 15 settembre 2026: 1.220,00 €, 28 novembre 2026',
    )
  })

  it.each([
    ['what is late', invoice, '200,00 €'],
    ['what is open when nothing is late', invoice && { ...invoice, lateCents: 0 }, '600,00 €'],
    ['nothing once it is paid', invoice && { ...invoice, lateCents: 0, openCents: 0 }, '{{importo da pagare}}'],
  ])('asks for %s', (_what, asked, expected) => {
    expect(filled('{{importo da pagare}}', { invoice: asked })).toBe(expected)
  })

  it('leaves open what the mail is not about, and what nobody wrote down', () => {
    const contact = { firstName: null, lastName: ' ', name: 'Neri srl', company: null }
    const text = fillPlaces(
      allNames.map((name) => `{{${name}}}`).join(' '),
      mailValues({ ...about, contact, me: { name: null, business: null }, invoice: null, deal: null }),
    )
    expect(openNames(text)).toEqual(allNames.filter((name) => name !== 'contatto' && name !== 'oggi'))
  })

  it('has no value for a deal of zero', () => {
    expect(
      filled('{{trattativa}}: {{valore trattativa}}', { deal: { title: 'Sito', cents: 0, currency: 'EUR' } }),
    ).toBe('Sito: {{valore trattativa}}')
  })
})

describe('the ready-made templates', () => {
  it.each(mailStarters)('$name asks only for places that exist, and fits', ({ name, subject, body }) => {
    const places = openNames(subject ?? '', body).filter((place) => `${subject}${body}`.includes(`{{${place}}}`))
    expect(places.every(isMailVariable)).toBe(true)
    expect(name.length).toBeLessThanOrEqual(80)
    // What is left to complete is for the person alone: [data…].
    expect(filled(`${subject}\n${body}`)).not.toContain('{{')
  })

  it('are named apart', () => {
    expect(new Set(mailStarters.map(({ name }) => name)).size).toBe(mailStarters.length)
  })
})
