import { describe, expect, it } from 'vitest'

import { fillPlaces, openNames, openPlaces, withPlaces } from '@/lib/mail-places'
import cases from '../../../tests/vectors/open_places.json'

describe('openNames', () => {
  it.each(cases)('finds what $text waits for', ({ text, open }) => {
    expect(openNames(text)).toEqual(open)
  })

  it('names a place of subject and text once', () => {
    expect(openNames('Fattura {{numero}}', 'La {{NUMERO}} scade {{quando}}')).toEqual(['numero', 'quando'])
  })
})

it('openPlaces says where to write', () => {
  const text = 'Ciao {{nome}}, a [giorno…]'
  expect(openPlaces(text).map(({ start, end }) => text.slice(start, end))).toEqual(['{{nome}}', '[giorno…]'])
})

describe('fillPlaces', () => {
  const values = new Map([
    ['nome', 'Anna'],
    ['numero fattura', '12/2026'],
  ])

  it('fills a place however it is written', () => {
    expect(fillPlaces('{{nome}}, {{ NOME }}: {{Numero  fattura}}', values)).toBe('Anna, Anna: 12/2026')
  })

  it('leaves a place without a value to be completed', () => {
    expect(fillPlaces('{{nome}} {{cognome}} [giorno…]', values)).toBe('Anna {{cognome}} [giorno…]')
  })

  it('takes a value as text', () => {
    const tricky = new Map([
      ['nome', '{{numero fattura}} $& $1'],
      ['numero fattura', '12'],
    ])
    expect(fillPlaces('{{nome}}', tricky)).toBe('{{numero fattura}} $& $1')
  })
})

describe('withPlaces', () => {
  const values = new Map([
    ['nome', 'Anna'],
    ['contatto', 'Anna Neri'],
    ['azienda', 'Anna Neri'],
    ['cognome', 'Po'],
    ['importo', '1.200,00 €'],
  ])

  it('puts the longest value first, as whole words, and fills back to the same text', () => {
    const text = 'Gentile Anna Neri, grazie Anna: 1.200,00 €. Annalisa e Po stanno bene. [giorno…]'
    const template = withPlaces(text, values)
    expect(template).toBe('Gentile {{contatto}}, grazie {{nome}}: {{importo}}. Annalisa e Po stanno bene. [giorno…]')
    expect(fillPlaces(template, values)).toBe(text)
  })

  it('leaves a text alone when nothing is known', () => {
    expect(withPlaces('Ciao Anna', new Map())).toBe('Ciao Anna')
  })

  it('leaves a place that is there already', () => {
    expect(withPlaces('{{nome}} nome', new Map([['trattativa', 'nome']]))).toBe('{{nome}} {{trattativa}}')
  })
})
