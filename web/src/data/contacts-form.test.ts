/** What the form of a contact lets through, and what it makes of it. */
import { expect, test } from 'vitest'

import { contactFrom, contactSchema, emptyContact } from '@/data/contacts-form'

const person = { ...emptyContact('persona'), firstName: ' Mario ', lastName: 'Rossi' }

const messages = async (change: Partial<typeof person>) => {
  const read = await contactSchema.safeParseAsync({ ...person, ...change })
  return read.success ? [] : read.error.issues.map(({ message }) => message)
}

test.each([
  [{ vatNumber: '12345678901' }, 'Partita IVA non valida: controlla le 11 cifre'],
  [{ taxCode: 'RSSMRA85T10A562T' }, 'Codice fiscale non valido: controlla i caratteri'],
  [{ sdiCode: 'ABC' }, 'Il codice ha 7 caratteri, 6 per la pubblica amministrazione'],
  [{ emails: [{ value: 'mario@' }] }, 'E-mail non valida'],
  [{ phones: [{ value: 'dopo le 18' }] }, 'Numero non valido'],
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
