import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { MemoryRouter } from 'react-router'
import { expect, test, vi } from 'vitest'

import { AuthContext } from '@/data/auth-context'
import type { DataExport } from '@/data/data-exports'
import { ExportCard } from '@/features/settings/export-card'

import { answerWith, storeSession } from '../../../test/network'
import { member } from '../../../test/profile'

const archive: DataExport = {
  id: 'export-1',
  domains: ['profilo', 'clienti', 'lavoro', 'documenti', 'assistente', 'crediti', 'registro'],
  with_files: true,
  state: 'pronto',
  lacked_space: false,
  progress: 100,
  created_at: '2026-11-20T09:00:00Z',
  bytes: 4096,
  sha256: 'abc123',
  expires_at: '2999-01-01T09:00:00Z',
  opens: 2,
}

function show(rows: DataExport[], refusal?: { status: number; body: unknown }) {
  storeSession()
  const calls = answerWith(({ path }) =>
    path.startsWith('/functions/v1/data_export') ? (refusal ?? { body: { path: '/x' } }) : { body: rows },
  )
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <AuthContext value={member}>
        <MemoryRouter>
          <ExportCard />
        </MemoryRouter>
      </AuthContext>
    </QueryClientProvider>,
  )
  return () => calls.filter(({ path }) => path.startsWith('/functions/'))
}

const submit = () => screen.getByRole('button', { name: 'Prepara l’archivio' })

test('everything is chosen at first, and one part alone can be asked for without files', async () => {
  const calls = show([])
  const person = userEvent.setup()
  expect(await screen.findByText(/^Nessuno: il primo che prepari/)).toBeDefined()
  await person.click(submit())
  expect(calls()[0]).toMatchObject({ method: 'POST', body: { domains: 'all', files: true } })
  await person.click(screen.getByRole('button', { name: 'Togli tutto' }))
  expect(submit()).toHaveProperty('disabled', true)
  expect(screen.getByText('Scegli almeno una parte.')).toBeDefined()
  await person.click(screen.getByRole('checkbox', { name: 'Documenti e fatture' }))
  await person.click(screen.getByRole('checkbox', { name: 'Anche i file originali' }))
  await person.click(submit())
  expect(calls()[1]).toMatchObject({ body: { domains: ['documenti'], files: false } })
})

test('an archive under way shows how far it is and can be cancelled', async () => {
  const calls = show([{ ...archive, state: 'in_corso', progress: 40, bytes: null, sha256: null, expires_at: null }])
  expect((await screen.findByRole('progressbar', { name: 'Avanzamento dell’archivio' })).ariaValueNow).toBe('40')
  expect(screen.getByText('40%')).toBeDefined()
  expect(screen.queryByRole('button', { name: 'Prepara l’archivio' })).toBeNull()
  await userEvent.click(screen.getByRole('button', { name: 'Annulla' }))
  expect(calls()[0]).toMatchObject({ method: 'DELETE', path: '/functions/v1/data_export' })
})

test('a ready archive is downloaded, and one that is over says so', async () => {
  const assign = vi.fn<(url: string) => void>()
  vi.stubGlobal('location', { ...window.location, assign })
  const calls = show([
    archive,
    { ...archive, id: 'export-2', expires_at: '2020-01-01T00:00:00Z' },
    { ...archive, id: 'export-3', state: 'fallito', bytes: null, sha256: null, expires_at: null, domains: ['clienti'] },
    { ...archive, id: 'export-4', state: 'fallito', lacked_space: true, bytes: null, sha256: null, expires_at: null },
  ])
  const [ready, over, failed, full] = within(await screen.findByRole('list', { name: 'I tuoi archivi' })).getAllByRole(
    'listitem',
  )
  expect(ready?.textContent).toMatch(/Tutto · con i file originali.*fino al 1 gen 2999 · scaricato 2 volte.*abc123/)
  expect(over?.textContent).toContain('non più scaricabile')
  expect(failed?.textContent).toContain('chiedilo di nuovo')
  expect(full?.textContent).toContain('Non c’è abbastanza spazio sul server per prepararlo: riprova più tardi.')
  expect(screen.getAllByRole('button', { name: 'Scarica' })).toHaveLength(1)
  await userEvent.click(screen.getByRole('button', { name: 'Scarica' }))
  expect(calls()[0]).toMatchObject({ body: { id: 'export-1' } })
  await vi.waitFor(() => expect(assign).toHaveBeenCalledWith(expect.stringMatching(/\/x$/)))
})

test('a refusal says what to do, next to the button', async () => {
  show([], { status: 403, body: { code: 'reauthentication_needed', message: 'Esci, accedi di nuovo e riprova' } })
  await screen.findByText(/^Nessuno/)
  await userEvent.click(submit())
  expect((await screen.findByRole('alert')).textContent).toBe('Esci, accedi di nuovo e riprova.')
})
