import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
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
