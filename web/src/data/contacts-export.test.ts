/** What leaves as a file comes back by the import. */
import { expect, test } from 'vitest'

import { contactsCsv } from '@/data/contacts-export'
import { readCsv } from '@/lib/contact-csv'
import { guessColumns } from '@/lib/contact-csv-columns'

import { answerWith, storeSession } from '../../test/network'

const anna = {
  id: 'anna',
  type: 'persona',
  first_name: 'Anna',
  last_name: 'Keller',
  job_title: 'Titolare',
  address: { street: 'Seestrasse 1', postal_code: '8001', city: 'Zürich', province: null, country: 'CH' },
  origin: 'manuale',
  emails: [{ value: 'anna@keller.ch' }, { value: 'info@keller.ch' }],
  phones: [],
  contact_tags: [{ tags: { name: 'Cliente' } }],
}

test('a contact is exported with company and country, under titles that the import knows', async () => {
  storeSession()
  answerWith(({ path }) => ({
    body: path.includes('/contact_list') ? [{ id: 'anna', company_name: 'Keller AG' }] : [anna],
  }))
  const { header, rows } = readCsv(new TextEncoder().encode(await contactsCsv(['anna'])))
  const cells = rows[0]?.cells ?? []
  const read = Object.fromEntries(
    guessColumns(header).flatMap((field, column) => (field && cells[column] ? [[field, cells[column]]] : [])),
  )
  expect(read).toEqual({
    first_name: 'Anna',
    last_name: 'Keller',
    company: 'Keller AG',
    job_title: 'Titolare',
    email: 'anna@keller.ch, info@keller.ch',
    street: 'Seestrasse 1',
    postal_code: '8001',
    city: 'Zürich',
    country: 'CH',
    tags: 'Cliente',
  })
})
