import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { MemoryRouter } from 'react-router'
import { expect, test } from 'vitest'

import type { DeletionPreview } from '@/data/account-deletion'
import { DeletionForm } from '@/features/settings/deletion-form'

import { answerWith, storeSession } from '../../../test/network'

const preview: DeletionPreview = {
  address: 'giulia@socio.example',
  stops: { mailbox: null, whatsapp: null, waiting_mails: 0, calendar: false, devices: 0, applications: 0 },
  domains: [],
  files: 0,
  kept: [],
  invoices: 3,
  credits: 100,
  refunds: [{ order_id: 'order-1', amount_cents: 999, until: '2026-12-20' }],
}

function show(change: Partial<DeletionPreview> = {}, answer: { status?: number; body: unknown } = { body: {} }) {
  storeSession()
  const calls = answerWith(() => answer)
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MemoryRouter>
        <DeletionForm userId="user-1" preview={{ ...preview, ...change }} />
      </MemoryRouter>
    </QueryClientProvider>,
  )
  return calls
}

const button = () => screen.getByRole('button', { name: 'Elimina l’account' })

test('the invoices, the credits and the address are asked for, and then once more', async () => {
  const calls = show()
  const person = userEvent.setup()
  expect(screen.getByText(/9,99 € per i crediti non usati, fino al 20 dicembre 2026/)).toBeDefined()
  await person.click(screen.getByRole('radio', { name: 'L’ho già altrove' }))
  await person.click(screen.getByRole('checkbox', { name: 'Rinuncio ai crediti che restano' }))
  await person.type(screen.getByLabelText(/^Scrivi giulia@socio.example/), 'giulia@altrove.example')
  expect(button()).toHaveProperty('disabled', true)
  await person.clear(screen.getByLabelText(/^Scrivi/))
  await person.type(screen.getByLabelText(/^Scrivi/), ' Giulia@socio.example')
  await person.click(button())
  expect(calls).toEqual([])
  await person.click(screen.getByRole('button', { name: 'Elimina l’account' }))
  expect(calls[0]).toMatchObject({
    method: 'POST',
    path: '/functions/v1/account_deletion',
    body: { fiscal_archive: 'elsewhere', gives_up_credits: true },
  })
})

test('an account without invoices and credits needs its address only', async () => {
  show({ invoices: 0, credits: 0, refunds: [] })
  const person = userEvent.setup()
  expect(screen.queryByRole('radio')).toBeNull()
  expect(screen.queryByRole('checkbox')).toBeNull()
  await person.type(screen.getByLabelText(/^Scrivi/), 'giulia@socio.example')
  expect(button()).toHaveProperty('disabled', false)
})
