import { render, screen } from '@testing-library/react'
import { MemoryRouter } from 'react-router'
import { expect, test, vi } from 'vitest'

import { type Offer, useOffer } from '@/data/early-bird'
import { WAITING_LIST_ID } from '@/features/landing/early-bird'
import { FinalCall } from '@/features/landing/final-call'

vi.mock('@/data/early-bird', () => ({ useOffer: vi.fn<typeof useOffer>() }))

function show(offer: Offer | null): void {
  vi.mocked(useOffer).mockReturnValue(offer)
  render(<FinalCall />, { wrapper: MemoryRouter })
}

test.each([
  ['is not known', null],
  ['runs', { countdown: null, taken: 99, isOver: false }],
])('while the offer %s, its bonus is named', (_, offer) => {
  show(offer)
  expect(screen.getByText(/Se sei tra i primi 100, 500 crediti gratis/)).toBeDefined()
  expect(screen.getByText('Valore totale 89 €')).toBeDefined()
})

test('once the offer is over, nothing of it is offered any more', async () => {
  show({ countdown: null, taken: 100, isOver: true })
  expect(await screen.findByText(/I 100 posti early bird sono assegnati/)).toBeDefined()
  expect(screen.getByText('100 crediti gratis alla registrazione.')).toBeDefined()
  expect(screen.queryByText(/primi 100|500 crediti|89 €/)).toBeNull()
})

test('where the waiting list will be has its address from the start', () => {
  show(null)
  expect(document.getElementById(WAITING_LIST_ID)).not.toBeNull()
})

test('a form whose code does not arrive leaves a text and another try', async () => {
  vi.resetModules()
  vi.doMock('@/features/landing/waiting-list-form', () => {
    throw new Error('Failed to fetch dynamically imported module')
  })
  const fresh = await import('@/features/landing/final-call')
  const reload = vi.fn<() => void>()
  vi.stubGlobal('location', { reload })
  const { useOffer: freshOffer } = await import('@/data/early-bird')
  vi.mocked(freshOffer).mockReturnValue({ countdown: null, taken: 100, isOver: true })
  render(<fresh.FinalCall />, { wrapper: MemoryRouter })
  expect(await screen.findByText(/il modulo della lista d’attesa/)).toBeDefined()
  expect(screen.getByRole('link', { name: 'Crea il tuo account gratis' })).toBeDefined()
  screen.getByRole('button', { name: 'Riprova' }).click()
  expect(reload).toHaveBeenCalledOnce()
})
