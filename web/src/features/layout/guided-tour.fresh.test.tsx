import { act, render, screen } from '@testing-library/react'
import { Toaster } from 'sonner'
import { expect, test, vi } from 'vitest'

import { GuidedTour } from '@/features/layout/guided-tour'
import { startTour, useTour } from '@/lib/tour'

vi.mock('@/features/layout/tour-steps', () => {
  throw new Error('Failed to fetch dynamically imported module')
})

function State() {
  return <p data-testid="tour">{useTour()}</p>
}

test('a tour whose code does not arrive gives way without counting as seen', async () => {
  render(
    <>
      <GuidedTour />
      <State />
      <Toaster />
    </>,
  )
  expect(screen.getByTestId('tour').textContent).toBe('due')
  act(startTour)
  await expect.poll(() => screen.getByTestId('tour').textContent).toBe('over')
  expect(localStorage.getItem('tour_completed')).toBeNull()
  expect(screen.queryByText(/La guida non si è caricata/)).toBeNull()

  // «Rivedi la guida»
  act(startTour)
  expect(await screen.findByText(/La guida non si è caricata/)).toBeDefined()
  expect(screen.getByTestId('tour').textContent).toBe('over')
})
