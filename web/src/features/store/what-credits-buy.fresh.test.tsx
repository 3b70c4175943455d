import { render, screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'

import { answerWith } from '../../../test/network'

/** The section as a new page shows it, to an installation with a model or without one. */
async function show(ai: boolean) {
  vi.resetModules()
  const calls = answerWith(({ path }) => ({ body: path.includes('chat_settings') ? { ai } : {} }))
  const { WhatCreditsBuy } = await import('@/features/store/what-credits-buy')
  render(<WhatCreditsBuy />)
  await expect.poll(() => calls.some(({ path }) => path.includes('chat_settings'))).toBe(true)
}

test('without a model the store says that credits buy nothing yet, and what is free', async () => {
  await show(false)
  expect(await screen.findByRole('note')).toHaveProperty(
    'textContent',
    expect.stringContaining('Qui oggi non è collegato nessun modello di IA.'),
  )
  expect(screen.getByText(/Messaggio in chat: 1 credito/)).toBeDefined()
  expect(screen.getByText(/CRM, attività e progetti.*Risposta in modalità locale/)).toBeDefined()
})

test('with a model nothing is said against buying', async () => {
  await show(true)
  expect(screen.getByText(/Messaggio in chat: 1 credito/)).toBeDefined()
  expect(screen.queryByRole('note')).toBeNull()
})
