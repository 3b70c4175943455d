/** What the form of a contact lets through, and what it makes of it. */
import { expect, test } from 'vitest'

import type { WholeContact } from '@/data/contacts'
import {
  changedContactSchema,
  changesOf,
  contactFrom,
  contactSchema,
  emptyContact,
  valuesOf,
} from '@/data/contacts-form'

const person = { ...emptyContact('persona'), firstName: ' Mario ', lastName: 'Rossi' }

const messages = async (change: Partial<typeof person>) => {
  const read = await contactSchema.safeParseAsync({ ...person, ...change })
  return read.success ? [] : read.error.issues.map(({ message }) => message)
}

test.each([
  [{ vatNumber: '12345678901' }, 'Partita IVA non valida: controlla le 11 cifre'],
  [{ taxCode: 'RSSMRA85T10A562T' }, 'Codice fiscale non valido: controlla i caratteri'],
  [{ sdiCode: 'ABC' }, 'Il codice ha 7 caratteri, 6 per la pubblica amministrazione'],
  [{ emails: [{ value: 'mario@' }] }, 'Email non valida'],
  [{ phones: [{ value: 'dopo le 18' }] }, 'Numero non valido'],
  [{ postalCode: '1201' }, 'Il CAP ha 5 cifre'],
  [{ postalCode: '1201', country: ' ita ' }, 'Il CAP ha 5 cifre'],
  [{ province: 'Milano', country: '' }, 'Due lettere, per esempio MI'],
  [{ touchDays: '0' }, 'Un numero di giorni'],
  [{ firstName: ' ', lastName: '' }, 'Scrivi almeno il nome o il cognome'],
  [{ type: 'azienda' as const }, 'Scrivi la ragione sociale'],
])('%o is refused in words', async (change, message) => {
  expect(await messages(change)).toEqual([message])
})

test('a person with nothing but a name is enough', async () => {
  expect(await messages({})).toEqual([])
})

test('numbers are kept as invoices and telephones carry them', async () => {
  const contact = await contactFrom({
    ...person,
    vatNumber: 'IT 007 4311 0157',
    taxCode: 'rssmra85t10a562s',
    emails: [{ value: ' Mario@Rossi.it ' }, { value: '' }],
    phones: [{ value: '333 123 4567' }, { value: '' }],
    regime: ' Cooperativa  sociale ',
    city: 'Milano',
    touchDays: '30',
  })
  expect(contact).toMatchObject({
    first_name: 'Mario',
    business_name: null,
    vat_number: '00743110157',
    tax_code: 'RSSMRA85T10A562S',
    emails: ['Mario@Rossi.it'],
    phones: [{ value: '333 123 4567', norm: '+393331234567' }],
    regime: 'Cooperativa sociale',
    address: { street: null, postal_code: null, city: 'Milano', province: null, country: 'IT' },
    touch_days: 30,
    note: null,
  })
})

const valuesAt = (address: WholeContact['address']) =>
  valuesOf({ type: 'persona', first_name: 'Mario', emails: [], phones: [], address } as unknown as WholeContact)

test.each([
  { street: 'Rue du Rhône 1', postal_code: '1201', city: 'Genève', province: 'Genève', country: 'Svizzera' },
  { street: '10 Downing Street', postal_code: 'SW1A 2AA', city: 'London', province: null, country: 'GB' },
  { street: null, postal_code: null, city: null, province: null, country: 'Francia' },
])('an address in $country is edited as it is', async (address) => {
  const values = valuesAt(address)
  expect(await messages(values)).toEqual([])
  expect((await contactFrom(values)).address).toEqual(address)
})

test.each(['IT', 'Italia', 'italy', undefined])('the country %s is Italy', async (country) => {
  const values = valuesAt({ city: 'Roma', ...(country && { country }) })
  expect(values.country).toBe('Italia')
  expect((await contactFrom(values)).address).toMatchObject({ city: 'Roma', country: 'IT' })
})

test('Italy alone is no address', async () => {
  expect((await contactFrom(valuesAt(null))).address).toBeNull()
})

test('of a known contact only what was changed is written', async () => {
  const known = { ...person, emails: [{ value: 'Mario@Rossi.it' }], city: 'Milano', note: 'Chiamare di sera' }
  expect(await changesOf(known, known)).toEqual({})
  expect(await changesOf({ ...known, lastName: 'Rosso', emails: [{ value: '' }] }, known)).toEqual({
    last_name: 'Rosso',
    emails: [],
    former: { emails: ['Mario@Rossi.it'], phones: [], tags: [] },
  })
  expect(await changesOf({ ...known, note: ' ', country: 'CH' }, known)).toMatchObject({
    note: null,
    address: { city: 'Milano', country: 'CH' },
  })
})

test('what an import has taken is not in the way of another change', async () => {
  const known = {
    ...person,
    lastName: 'R'.repeat(150),
    province: 'Roma',
    postalCode: '0018',
    note: 'x'.repeat(6_000),
    emails: [{ value: 'mario@localhost' }],
  }
  const problems = async (change: Partial<typeof known>) => {
    const read = await changedContactSchema(known).safeParseAsync({ ...known, ...change })
    return read.success ? [] : read.error.issues.map(({ message }) => message)
  }
  expect(await problems({ city: 'Roma' })).toEqual([])
  expect(await problems({ emails: [...known.emails, { value: 'mario@rossi.it' }] })).toEqual([])
  expect(await problems({ emails: [...known.emails, { value: 'mario@' }] })).toEqual(['Email non valida'])
  expect(await problems({ province: 'Milano' })).toEqual(['Due lettere, per esempio MI'])
  expect(await problems({ type: 'azienda' })).toEqual(['Scrivi la ragione sociale'])
})
