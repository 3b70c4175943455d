import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { MemoryRouter } from 'react-router'
import { expect, test, vi } from 'vitest'

import { emptyContact } from '@/data/contacts-form'
import { ContactForm } from '@/features/crm/contact-form'

import { answerWith, type Call, storeSession } from '../../../test/network'

const idOf = ({ body }: Call) => (body as Record<'_contact', { id: string }>)['_contact'].id

test('a new contact whose answer was lost is sent again as the same one', async () => {
  storeSession()
  let isLost = true
  const calls = answerWith((call) => {
    if (!call.path.endsWith('/save_contact')) return { body: [] }
    if (isLost) return { status: 500, body: { code: '', message: 'lost' } }
    return { body: idOf(call) }
  })
  const saves = () => calls.filter(({ path }) => path.endsWith('/save_contact'))
  const onSaved = vi.fn<(id: string, name: string) => void>()
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <ContactForm userId="user-1" values={emptyContact('persona')} onSaved={onSaved} onClose={() => undefined} />
    </QueryClientProvider>,
  )
  const user = userEvent.setup()
  await user.type(screen.getByLabelText('Nome'), 'Anna')
  await user.click(screen.getByRole('button', { name: 'Aggiungi contatto' }))
  await waitFor(() => expect(saves()).toHaveLength(1))
  isLost = false
  await waitFor(() =>
    expect(screen.getByRole('button', { name: 'Aggiungi contatto' })).toHaveProperty('disabled', false),
  )
  await user.click(screen.getByRole('button', { name: 'Aggiungi contatto' }))
  await waitFor(() => expect(onSaved).toHaveBeenCalled())
  const [lost, again] = saves().map(idOf)
  expect(again).toBe(lost)
})

test('an address of a contact of the trash leads to that contact', async () => {
  storeSession()
  const calls = answerWith(({ path }) => {
    if (path.endsWith('/save_contact'))
      return { status: 409, body: { code: '23505', message: 'duplicate key: contact_emails_user_id_norm_key' } }
    return {
      body: path.includes('/contact_emails?')
        ? [{ contact: { id: 'luca', name: 'Luca Neri', deleted_at: '2026-11-20T08:00:00Z' } }]
        : [],
    }
  })
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <MemoryRouter>
        <ContactForm
          userId="user-1"
          values={{ ...emptyContact('persona'), firstName: 'Anna' }}
          onSaved={() => undefined}
          onClose={() => undefined}
        />
      </MemoryRouter>
    </QueryClientProvider>,
  )
  const user = userEvent.setup()
  await user.type(screen.getByLabelText('Email'), 'Luca@Neri.it')
  await user.click(screen.getByRole('button', { name: 'Aggiungi contatto' }))
  expect(await screen.findByText('È già di «Luca Neri», che è nel cestino')).toBeDefined()
  expect(screen.getByRole('link', { name: /Luca Neri/ }).getAttribute('href')).toBe('/crm/luca')
  expect(calls.find(({ path }) => path.includes('/contact_emails?'))?.path).toContain('norm=in.(luca@neri.it)')
})
