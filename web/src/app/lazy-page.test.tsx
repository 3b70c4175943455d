import { render, screen } from '@testing-library/react'
import type { ComponentType } from 'react'
import { expect, test, vi } from 'vitest'

import { ErrorBoundary } from '@/app/error-boundary'
import { lazyPage, preloadPage } from '@/app/lazy-page'

import { expectConsole } from '../../test/console'

test('a page that was lost without a connection is tried again at the next visit', async () => {
  vi.stubGlobal('navigator', { onLine: false })
  const load = vi.fn<() => Promise<{ default: ComponentType }>>()
  load.mockRejectedValue(new Error('Failed to fetch dynamically imported module'))
  const page = lazyPage(load)
  const { rerender } = render(<ErrorBoundary resetKey="/crm">{page}</ErrorBoundary>)
  await expectConsole('error', async () => {
    expect(await screen.findByText(/Controlla la connessione e ricaricala/)).toBeDefined()
  })

  load.mockResolvedValue({ default: () => 'CRM' })
  rerender(<ErrorBoundary resetKey="/home">Home</ErrorBoundary>)
  rerender(<ErrorBoundary resetKey="/crm">{page}</ErrorBoundary>)
  expect(await screen.findByText('CRM')).toBeDefined()
})

test('a page whose code is there is drawn at once, without a text in between', async () => {
  const page = lazyPage(() => Promise.resolve({ default: () => 'Home' }))
  preloadPage(page)
  await Promise.resolve()
  render(page)
  expect(screen.getByText('Home')).toBeDefined()
})
