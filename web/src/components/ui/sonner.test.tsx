import { act, fireEvent, render, screen } from '@testing-library/react'
import { toast } from 'sonner'
import { afterEach, expect, test } from 'vitest'

import { Toaster } from '@/components/ui/sonner'

afterEach(async () => {
  await act(async () => {
    toast.dismiss()
    await Promise.resolve()
  })
})

/** A page with a button at this height, which says something. */
async function press(top: number, inside: 'main' | 'form' = 'main'): Promise<string | undefined> {
  const Around = inside
  render(
    <>
      <Around>
        <button type="button" onClick={() => void toast.success('Attività completata')}>
          Completa
        </button>
      </Around>
      <Toaster />
    </>,
  )
  const button = screen.getByRole('button', { name: 'Completa' })
  button.getBoundingClientRect = () => new DOMRect(0, top, 200, 44)
  fireEvent.pointerDown(button)
  fireEvent.click(button)
  const shown = await screen.findByText('Attività completata')
  return shown.closest<HTMLElement>('[data-sonner-toaster]')?.dataset.yPosition
}

test('a toast about what stands above is shown below', async () => {
  expect(await press(80)).toBe('bottom')
})

test('a toast about what stands below is shown above', async () => {
  expect(await press(innerHeight - 80)).toBe('top')
})

test('a form keeps the lower half, where a phone has its keyboard', async () => {
  expect(await press(80, 'form')).toBe('top')
})

test('a toast that is being read stays where it is', async () => {
  expect(await press(80)).toBe('bottom')
  const button = screen.getByRole('button', { name: 'Completa' })
  button.getBoundingClientRect = () => new DOMRect(0, innerHeight - 80, 200, 44)
  fireEvent.pointerDown(button)
  expect(screen.getByText('Attività completata').closest<HTMLElement>('[data-sonner-toaster]')?.dataset.yPosition).toBe(
    'bottom',
  )
})
