import { expect, test } from 'vitest'

import { scenes } from '@/features/landing/scenes'
import { answerTo, rows, suggestions } from '@/features/landing/sample-answers'

/** With the spaces that never break made plain. */
const said = (question: string) => answerTo(question).text.replaceAll('\u00A0', ' ')
const cited = (question: string) => answerTo(question).sources.map(({ title }) => title)

test('overdue invoices are added up and cited, paid and coming ones are not', () => {
  expect(said('fatture scadute')).toBe(
    'Hai 2 fatture scadute, 1.890,00 € in tutto. La più vecchia è di Ottica Bianchi, da 12 giorni: comincerei da lì.',
  )
  expect(cited('Quali FATTURE sono scadute?')).toEqual(['Fattura 18', 'Fattura 21'])
})

test('whom to call back is who has had a quote for longest', () => {
  expect(said('Chi devo richiamare?')).toContain('Studio Belli non risponde da 6 giorni')
})

test('the week has its deadlines, taxes included', () => {
  expect(said('Che cosa scade questa settimana?')).toBe(
    'In settimana hai 2 scadenze: Bozza del sito, domani; Modello F24, tra 4 giorni.',
  )
})

test('a client by part of the name, and what is still to be paid', () => {
  expect(said('dimmi di belli')).toBe('Studio Belli: 2 voci, deve ancora 900,00 €.')
  expect(said('Rinaldi')).toBe('Panificio Rinaldi: 1 voce, non ha nulla da pagare.')
})

test('what is not understood is said, and nothing is cited', () => {
  expect(said('Che tempo fa?')).toContain('capisce poche domande')
  expect(cited('')).toEqual([])
})

test('every suggestion has an answer with sources that exist', () => {
  const titles = rows.map(({ title }) => title)
  for (const suggestion of suggestions) {
    expect(cited(suggestion)).not.toEqual([])
    expect(titles).toEqual(expect.arrayContaining(cited(suggestion)))
  }
})

test.each(rows.map(({ title, client }) => [title, client] as const))('«%s» is known by its title', (title) => {
  expect(said(`Che cosa sai di ${title}?`)).toMatch(new RegExp(`^${title}: `))
  expect(cited(title)).toEqual([title])
})

test('every client that the page names is known here', () => {
  const known = new Set(rows.flatMap(({ client }) => client ?? []))
  const named = [...scenes.flatMap(({ shown }) => shown.flat()), ...scenes.map(({ text }) => text)].join(' ')
  for (const name of named.match(/(?:Studio|Ottica|Officina|Panificio) \p{Lu}\p{L}+/gu) ?? []) {
    expect(known).toContain(name)
    expect(said(name)).toContain(`${name}: `)
  }
})
