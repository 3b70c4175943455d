import { expect, test } from 'vitest'

import { contactRow } from '@/lib/contact-csv-rows'
import { type CardContact, readVcards, vcardsOf } from '@/lib/vcard'

const bytes = (text: string) => new TextEncoder().encode(text)
const card = (...lines: string[]) => bytes(['BEGIN:VCARD', ...lines, 'END:VCARD', ''].join('\r\n'))

test('a card of version 3 is read: groups, parameters, folds, escapes', () => {
  const [first] = readVcards(
    card(
      'VERSION:3.0',
      'N:De Rossi;Mario;;;',
      'FN:Mario De Rossi',
      'ORG:Rossi\\, Bianchi & C.;Vendite',
      'item1.EMAIL;type=INTERNET;type="HOME,pref":mario@esempio.it',
      'TEL;TYPE=CELL:+39 333 1234567',
      'ADR;TYPE=WORK:;;Via Roma 1\\, int. 2;Torino;TO;10121;Italia',
      'CATEGORIES:cliente,estero',
      'NOTE:prima riga\\nseconda ri',
      ' ga',
    ),
  )
  expect(first).toEqual({
    row: 1,
    problem: null,
    draft: {
      last_name: ['De Rossi'],
      first_name: ['Mario'],
      company: ['Rossi, Bianchi & C.'],
      email: ['mario@esempio.it'],
      phone: ['+39 333 1234567'],
      street: ['Via Roma 1, int. 2'],
      city: ['Torino'],
      province: ['TO'],
      postal_code: ['10121'],
      country: ['Italia'],
      tags: ['cliente', 'estero'],
      note: ['prima riga\nseconda riga'],
    },
  })
})

test('an address abroad is imported as the card has it', async () => {
  const [first] = readVcards(card('VERSION:3.0', 'FN:Anna', 'ADR:;;Rue du Rhône 1;Genève;;1201;Svizzera'))
  expect((await contactRow(1, first?.draft ?? {})).contact).toMatchObject({
    address: { street: 'Rue du Rhône 1', city: 'Genève', postal_code: '1201', country: 'Svizzera' },
  })
})

test('version 4 writes telephones as addresses, and a company has no name of a person', () => {
  const [first] = readVcards(
    card('VERSION:4.0', 'FN:Rossi Srl', 'KIND:org', 'N:;;;;', 'TEL;VALUE=uri:tel:+39-06-123456'),
  )
  expect(first?.draft).toEqual({ full_name: ['Rossi Srl'], phone: ['+39-06-123456'] })
})

test('pictures are passed over, also huge ones', () => {
  const picture = `PHOTO;ENCODING=b;TYPE=JPEG:${'A'.repeat(2_000_000)}`
  const [first] = readVcards(card('VERSION:3.0', 'FN:Anna', 'PHOTO;ENCODING=b:AAAA', picture))
  expect(first?.draft).toEqual({ full_name: ['Anna'] })
})

test.each([
  ['version 2.1', card('VERSION:2.1', 'N:Rossi;Anna'), /vCard 2\.1/],
  ['quoted-printable', card('VERSION:3.0', 'FN;ENCODING=QUOTED-PRINTABLE:Niccol=C3=B2'), /vCard 2\.1/],
  ['half a card', bytes('BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Anna'), /a metà/],
  ['no card', bytes('ciao'), /non contiene contatti/],
  ['too many cards', bytes('BEGIN:VCARD\nFN:A\nEND:VCARD\n'.repeat(50_001)), /50\.000/],
])('%s is refused in words', (_name, content, message) => {
  expect(() => readVcards(content)).toThrow(message)
})

test('a card with endless properties ends', () => {
  const [first] = readVcards(card('FN:Anna', ...Array.from({ length: 5_000 }, (_, n) => `EMAIL:a${n}@esempio.it`)))
  expect(first?.draft.email?.length).toBeLessThan(200)
})

test('what is written comes back the same', async () => {
  const contact: CardContact = {
    type: 'persona',
    name: 'Niccolò Dell’Orto',
    first_name: 'Niccolò',
    last_name: 'Dell’Orto',
    company: 'Orto; Figli, Srl',
    job_title: null,
    vat_number: '07643520567',
    tax_code: null,
    sdi_code: 'ABC1234',
    pec: 'orto@pec.it',
    website: 'https://orto.example',
    note: `riga uno\nriga due \\ barra ${'è'.repeat(100)}`,
    emails: ['n@orto.example'],
    phones: ['+393331234567'],
    tags: ['cliente'],
    address: { street: 'Via Po, 3', city: 'Torino', province: 'TO', postal_code: '10121' },
  }
  const text = vcardsOf([contact, { ...contact, type: 'azienda', name: 'Orto Srl' }])
  expect(Math.max(...text.split('\r\n').map((line) => bytes(line).length))).toBeLessThanOrEqual(75)
  const [first, second] = await Promise.all(readVcards(bytes(text)).map(({ row, draft }) => contactRow(row, draft)))
  const { name: _name, phones: _phones, ...same } = contact
  expect(first?.contact).toMatchObject(same)
  expect(second?.contact).toMatchObject({ type: 'azienda', business_name: 'Orto Srl', first_name: null })
})
