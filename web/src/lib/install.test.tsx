import { act, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'

import { useInstall } from '@/lib/install'

function Offer() {
  const install = useInstall()
  return install && <button onClick={install}>Installa</button>
}

test('the offer of the browser is kept until it is used', async () => {
  render(<Offer />)
  expect(screen.queryByRole('button')).toBeNull()
  const prompt = vi.fn<() => Promise<void>>(() => Promise.resolve())
  const offer = Object.assign(new Event('beforeinstallprompt', { cancelable: true }), { prompt })
  act(() => void window.dispatchEvent(offer))
  expect(offer.defaultPrevented).toBe(true)
  await userEvent.click(screen.getByRole('button'))
  expect(prompt).toHaveBeenCalledOnce()
  expect(screen.queryByRole('button')).toBeNull()
})

test('an installed app is not offered', () => {
  render(<Offer />)
  act(
    () =>
      void window.dispatchEvent(
        Object.assign(new Event('beforeinstallprompt'), { prompt: vi.fn<() => Promise<void>>() }),
      ),
  )
  act(() => void window.dispatchEvent(new Event('appinstalled')))
  expect(screen.queryByRole('button')).toBeNull()
})
