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

test('a card of version 2.1 is read: quoted-printable, character sets, bare types, folds', () => {
  const [first] = readVcards(
    card(
      'VERSION:2.1',
      'N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:Dell=E2=80=99Orto;Niccol=C3=B2;;;',
      'ORG;CHARSET=ISO-8859-1;QUOTED-PRINTABLE:Caff=E8 Perch=E9;Vendite',
      'TEL;CELL;VOICE:3331234567',
      'TEL;WORK;PREF:+39 06 69821234',
      'EMAIL;INTERNET;X-SYNC:n@orto.example',
      'ADR;WORK;ENCODING=QUOTED-PRINTABLE;CHARSET=UTF-8:;;Via Citt=C3=A0 =',
      'di Castello 3;Forl=C3=AC;FC;47121;Italia',
      'TITLE;ENCODING=QUOTED-PRINTABLE:Responsabilit=E0',
      'NOTE;ENCODING=QUOTED-PRINTABLE:prima=0D=0Aseconda =3D=',
      ' fine',
      'X-CF:scritto in',
      ' due righe',
      'PHOTO;JPEG;ENCODING=BASE64:/9j/4AAQ',
      ' SkZJRg==',
      '',
      'LOGO;BASE64:/9j/4AAQ',
    ),
  )
  expect(first?.draft).toEqual({
    last_name: ['Dell’Orto'],
    first_name: ['Niccolò'],
    company: ['Caffè Perché'],
    phone: ['3331234567', '+39 06 69821234'],
    email: ['n@orto.example'],
    street: ['Via Città di Castello 3'],
    city: ['Forlì'],
    province: ['FC'],
    postal_code: ['47121'],
    country: ['Italia'],
    job_title: ['Responsabilità'],
    note: ['prima\r\nseconda = fine'],
    tax_code: ['scritto in due righe'],
  })
})

test('a file may hold cards of several versions', () => {
  const both = [
    card('VERSION:2.1', 'FN:Anna', 'NOTE:una', ' riga'),
    card('VERSION:3.0', 'FN:Ugo', 'NOTE:una ri', ' ga'),
  ]
  const text = both.map((part) => new TextDecoder().decode(part)).join('')
  expect(readVcards(bytes(text)).map(({ draft }) => draft.note)).toEqual([['una riga'], ['una riga']])
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
