import { setImmediate } from 'node:timers/promises'

import { render, screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'

import { ErrorBoundary } from '@/app/error-boundary'

import { expectConsole } from '../../test/console'
import { answerWith, storeSession } from '../../test/network'

function Broken({ message }: { message: string }): never {
  throw new Error(message)
}

/** Renders a child that fails; React itself reports every caught error in the console. */
async function show(message: string) {
  let view: ReturnType<typeof render> | undefined
  await expectConsole('error', () => {
    view = render(
      <ErrorBoundary resetKey="/home">
        <Broken message={message} />
      </ErrorBoundary>,
    )
  })
  return view
}

test('a rendering error is shown, logged with its fields, and without tokens', async () => {
  storeSession()
  window.history.replaceState(null, '', '/auth/confirm?token_hash=secret')
  const entry = document.createElement('script')
  entry.setAttribute('type', 'module')
  entry.setAttribute('src', '/assets/index-DLyw7QaP.js')
  document.head.append(entry)
  const calls = answerWith(({ path }) => (path === '/auth/v1/user' ? { body: { id: 'user-1' } } : { status: 201 }))
  await show('Boom')
  expect(screen.getByText('Qualcosa è andato storto')).toBeDefined()
  expect(screen.getByText('Boom')).toBeDefined()
  expect(screen.getByRole('button', { name: 'Ricarica Pagina' })).toBeDefined()

  await waitFor(() => expect(calls).toHaveLength(2))
  expect(calls.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'GET /auth/v1/user',
    'POST /rest/v1/error_logs',
  ])
  expect(calls[1]?.body).toEqual({
    user_id: 'user-1',
    session_id: expect.stringMatching(/^[0-9a-f]{32}$/),
    error_message: 'Boom',
    error_stack: expect.stringContaining('Boom'),
    component_stack: expect.stringContaining('Broken'),
    url: expect.stringMatching(/\/auth\/confirm\?token_hash=\[removed\]$/),
    user_agent: navigator.userAgent,
    severity: 'critical',
    metadata: {
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      browser: navigator.userAgent,
      viewport: `${window.innerWidth}x${window.innerHeight}`,
      release: 'DLyw7QaP',
    },
  })
  entry.remove()
  window.history.replaceState(null, '', '/')
})

test('an error without words gets the general ones, and a log that fails is swallowed', async () => {
  const calls = answerWith(() => ({ status: 400, body: { message: 'no' } }))
  await show('')
  expect(screen.getByText('Si è verificato un errore inaspettato')).toBeDefined()
  await waitFor(() => expect(calls.length).toBeGreaterThan(0))
})

test.each([
  'Failed to fetch dynamically imported module: https://socio.example/assets/crm-page-abc.js',
  'error loading dynamically imported module: https://socio.example/assets/crm-page-abc.js',
  'Importing a module script failed.',
  'Unable to preload CSS for /assets/crm-page-abc.css',
])('lost code is told in Italian, and is no fault to log: %s', async (message) => {
  const calls = answerWith(() => ({ status: 201 }))
  await show(message)
  expect(screen.getByText(/Controlla la connessione e ricaricala/)).toBeDefined()
  expect(screen.queryByText(message)).toBeNull()
  await setImmediate()
  expect(calls).toHaveLength(0)
})

test('another page gets another try', async () => {
  answerWith(() => ({ status: 201 }))
  const view = await show('Boom')
  view?.rerender(<ErrorBoundary resetKey="/crm">CRM</ErrorBoundary>)
  expect(screen.getByText('CRM')).toBeDefined()
})
