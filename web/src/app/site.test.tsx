import { act, render, screen } from '@testing-library/react'
import { MemoryRouter } from 'react-router'
import { toast } from 'sonner'
import { expect, test, vi } from 'vitest'

import { Site } from '@/app/site'
import { paths } from '@/paths'

import { expectConsole } from '../../test/console'

test('toasts are shown once somebody moves, those from before as well', async () => {
  // As in a browser in which nobody has clicked or typed yet.
  vi.stubGlobal('navigator', { onLine: true, userActivation: { hasBeenActive: false } })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  render(
    <MemoryRouter initialEntries={[paths.faq]}>
      <Site isNowhere={false} startApp={() => Promise.resolve()} />
    </MemoryRouter>,
  )
  act(() => void toast.warning('Login richiesto'))
  await act(() => vi.advanceTimersByTimeAsync(60_000))
  vi.useRealTimers()
  expect(screen.queryByRole('region', { name: /Avvisi/ })).toBeNull()

  act(() => void window.dispatchEvent(new Event('pointermove')))
  expect(await screen.findByText('Login richiesto')).toBeDefined()
})

const lost = () => Promise.reject(new Error('Failed to fetch dynamically imported module: /assets/start-app.js'))

test('an app that does not arrive is said instead of awaited for ever', async () => {
  await expectConsole('error', async () => {
    render(
      <MemoryRouter initialEntries={[paths.register]}>
        <Site isNowhere={false} startApp={lost} />
      </MemoryRouter>,
    )
    expect(await screen.findByText(/Controlla la connessione e ricaricala/)).toBeDefined()
  })
})
