import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { MemoryRouter } from 'react-router'
import { expect, test, vi } from 'vitest'

import { AuthContext } from '@/data/auth-context'
import { ImportCard } from '@/features/settings/import-card'
import type { Transfer } from '@/lib/resumable-upload'
import type { UploadFailure } from '@/strings/files'

import { answerWith, storeSession } from '../../../test/network'
import { member } from '../../../test/profile'

type Given = {
  onProgress: (sent: number) => void
  onDone: (path: string) => void
  onFailure: (failure: UploadFailure) => void
}
const startTransfer = vi.hoisted(() => vi.fn<(given: Given) => Promise<Transfer>>())
vi.mock('@/lib/resumable-upload', () => ({ startTransfer }))

const row = { id: 'i', rows: 1200, rows_done: 0, files: 30, files_done: 0, files_lost: 0, error: null, created_at: '' }
type Answer = { status?: number; body: unknown }

function show(newest: object | null, isOpen = true, begun: Answer = { body: {} }) {
  storeSession()
  const calls = answerWith(({ path }) =>
    path.includes('takes_archive')
      ? { body: isOpen }
      : path.includes('functions/v1/data_import')
        ? begun
        : { body: newest === null ? [] : [newest] },
  )
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <MemoryRouter>
        <AuthContext value={member}>
          <ImportCard />
        </AuthContext>
      </MemoryRouter>
    </QueryClientProvider>,
  )
  return calls
}

const archive = new File(['zip'], 'Socio.zip', { type: 'application/zip' })
const choose = async () => userEvent.upload(await screen.findByLabelText('Archivio da importare'), archive)

test('an archive is sent and brought in, with how far it is', async () => {
  const cancel = vi.fn<() => Promise<void>>(() => Promise.resolve())
  let given: Given | undefined
  startTransfer.mockImplementation((options) => {
    given = options
    return Promise.resolve({ pause: () => Promise.resolve(), resume: () => undefined, cancel })
  })
  const calls = show(null)
  await choose()
  expect(await screen.findByText(/Carico «Socio.zip»: 0 B di 3 B/)).toBeTruthy()
  given?.onProgress(2)
  expect(await screen.findByText(/2 B di 3 B/)).toBeTruthy()
  given?.onDone('user/x.zip')
  await vi.waitFor(() => {
    expect(calls.filter(({ path }) => path.includes('functions/v1/data_import'))).toHaveLength(2)
  })
})

test('sending can be cancelled, and a file that is none says so', async () => {
  const cancel = vi.fn<() => Promise<void>>(() => Promise.resolve())
  let given: Given | undefined
  startTransfer.mockImplementation((options) => {
    given = options
    return Promise.resolve({ pause: () => Promise.resolve(), resume: () => undefined, cancel })
  })
  show(null)
  await choose()
  await userEvent.click(await screen.findByRole('button', { name: 'Annulla' }))
  expect(cancel).toHaveBeenCalledOnce()
  await choose()
  await screen.findByRole('progressbar')
  given?.onFailure('type')
  expect(await screen.findByText(/Questo file non è uno ZIP/)).toBeTruthy()
})

test('nothing is sent by somebody who may not import', async () => {
  startTransfer.mockReset()
  show(null, true, { status: 403, body: { code: 'reauthentication_needed', message: 'Accedi di nuovo e riprova' } })
  await choose()
  expect(await screen.findByText('Accedi di nuovo e riprova')).toBeTruthy()
  expect(startTransfer).not.toHaveBeenCalled()
})

test('an account with data says why it takes none', async () => {
  show(null, false)
  expect(await screen.findByText(/Questo account contiene già dei dati/)).toBeTruthy()
  expect(screen.queryByLabelText('Archivio da importare')).toBeNull()
})

test('each state says where it is', async () => {
  show({ ...row, state: 'in_corso', rows_done: 500 }, false)
  expect(await screen.findByText('Rimetto a posto i dati: 500 righe di 1.200')).toBeTruthy()
})

test('the end says what came and what is left to do', async () => {
  show({ ...row, state: 'fatto', rows_done: 1200, files_done: 28, files_lost: 2 }, false)
  expect(await screen.findByText(/1\.200 righe e 28 file\. 2 file non sono entrati/)).toBeTruthy()
  expect(screen.getByRole('link', { name: 'ricollega la casella e WhatsApp' })).toBeTruthy()
})

test('a failed import says why and takes another file', async () => {
  show({ ...row, state: 'fallito', error: 'L’archivio è danneggiato' })
  expect(await screen.findByText('L’archivio è danneggiato')).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Scegli l’archivio' })).toBeTruthy()
})
