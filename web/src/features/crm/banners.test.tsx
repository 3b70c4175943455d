import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'

import { DemoBanner } from '@/features/crm/banners'

import { answerWith, storeSession } from '../../../test/network'

test('the samples go after a question that says what stays', async () => {
  storeSession()
  const calls = answerWith(({ path }) => ({ body: path.includes('/contact_list') ? [{ id: 'sample' }] : {} }))
  const removals = () => calls.filter(({ path }) => path.includes('/remove_demo_data')).length
  render(
    <QueryClientProvider client={new QueryClient()}>
      <DemoBanner userId="user-1" />
    </QueryClientProvider>,
  )
  const user = userEvent.setup()
  await user.click(await screen.findByRole('button', { name: 'Togli gli esempi' }))
  const dialog = await screen.findByRole('dialog', { name: 'Togliere gli esempi?' })
  expect(dialog.textContent).toContain('Resta quello che hai aggiunto tu')
  expect(removals()).toBe(0)
  await user.click(within(dialog).getByRole('button', { name: 'Togli gli esempi' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(removals()).toBe(1)
})
