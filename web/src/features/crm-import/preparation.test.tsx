import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'

import type { ImportBatch } from '@/data/imports'
import type { ContactsFile } from '@/features/crm-import/contacts-file'
import { type Plan, Preparation } from '@/features/crm-import/preparation'
import { digestOf, forgetReading, keepReading } from '@/features/crm-import/reading'
import { readCsv } from '@/lib/contact-csv'
import { guessColumns, type Mapping } from '@/lib/contact-csv-columns'

const resumed = { id: 'batch-1', total: 1 } as ImportBatch
const chosen: Mapping = ['last_name', 'note']

afterEach(() => forgetReading(resumed.id))

async function open(text: string) {
  const table = readCsv(new TextEncoder().encode(text))
  const digest = await digestOf(new Blob([text]))
  const common = { id: text, name: 'a.csv', bytes: text.length, digest }
  const file: ContactsFile = { ...common, kind: 'csv', table, guess: guessColumns(table.header) }
  const onStart = vi.fn<(plan: Plan) => void>()
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Preparation
        file={file}
        resumed={resumed}
        onFile={() => undefined}
        onCancel={() => undefined}
        onStart={onStart}
      />
    </QueryClientProvider>,
  )
  return onStart
}

const begun = 'Nome;Varie\nAnna;x\n'
const keep = async () =>
  keepReading(resumed.id, {
    mapping: chosen,
    match: 'salta',
    digest: await digestOf(new Blob([begun])),
  })

test('an import that goes on has the columns and the rule with which it began', async () => {
  await keep()
  const onStart = await open(begun)
  await userEvent.setup().click(await screen.findByRole('button', { name: 'Importa 1 contatto' }))
  expect(onStart.mock.calls[0]?.[0]).toMatchObject({
    reading: { mapping: chosen, match: 'salta' },
    checked: { rows: [{ last_name: 'Anna', note: 'x' }] },
  })
})

test('it does not go on with another file of as many contacts', async () => {
  await keep()
  await open('Nome;Varie\nLuca;y\n')
  expect(await screen.findByText(/non è il file dell’importazione interrotta/)).toBeDefined()
  expect(await screen.findByRole('button', { name: 'Importa 1 contatto' })).toHaveProperty('disabled', true)
})
