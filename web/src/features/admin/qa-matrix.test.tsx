import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'

import type { QaCell, QaKind, QaRequest, QaRun } from '@/data/admin-qa'
import { QaMatrix } from '@/features/admin/qa-matrix'

import { answerWith, storeSession } from '../../../test/network'

const items = (failed: boolean): QaCell['items'] => [
  { id: 1, check: 'opens', outcome: 'passed', note: '', has_picture: false },
  {
    id: 2,
    check: 'overflow',
    outcome: failed ? 'failed' : 'passed',
    has_picture: failed,
    note: failed ? '464 px più larga dello schermo' : '',
  },
]

const cell = (place: string, state: QaCell['state'], rest: Partial<QaCell> = {}): QaCell => ({
  route: '/crm',
  place,
  state,
  outcome: state === 'passed' ? 'passed' : 'failed',
  verdict: null,
  tested_at: '2026-11-28T10:00:00Z',
  items: items(state !== 'passed'),
  failed: state === 'passed' ? [] : ['overflow'],
  ...rest,
})

function show(
  cells: QaCell[],
  kind: QaKind = 'mobile',
  refusal?: { status: number; body: object },
  asked: { request: QaRequest | null; runs: Partial<QaRun>[] } = { request: null, runs: [] },
) {
  storeSession()
  const calls = answerWith(({ path }) => {
    if (path.endsWith('/admin_qa')) return { body: { ...asked, cells } }
    if (path.endsWith('/admin_qa_picture')) return { body: 'iVBORw0KGgo=' }
    if (path.includes('/qa_report')) return refusal ?? { body: { runs: [{ failed: 2, is_new: true }] } }
    return { body: 'accepted' }
  })
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <QaMatrix kind={kind} title="Pagine" empty="Usa «make qa send=1»" />
    </QueryClientProvider>,
  )
  return calls
}

test('without a run the page says which command fills it', async () => {
  show([])
  expect(await screen.findByText('Usa «make qa send=1»')).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Importa esito' })).toBeTruthy()
})

test('each cell says its state in words, widths in their order', async () => {
  const verdict = { outcome: 'accepted', note: 'Nota', until: '2026-12-03', given_at: '2026-11-28T10:00:00Z' } as const
  show([cell('768', 'accepted', { verdict }), cell('1024', 'passed'), cell('360', 'failed')])
  const table = await screen.findByRole('group', { name: 'Pagine, tabella' })
  expect(
    within(table)
      .getAllByRole('columnheader')
      .map(({ textContent }) => textContent),
  ).toEqual(['Pagina', '360 px', '768 px', '1024 px'])
  expect(within(table).getByRole('button', { name: '/crm, 360 px: fallita' })).toBeTruthy()
  expect(within(table).getByRole('button', { name: '/crm, 768 px: accettata fino al 03/12/2026' })).toBeTruthy()
  const rows = within(screen.getByRole('region', { name: 'Da risolvere' })).getAllByRole('row')
  expect(rows).toHaveLength(2)
  expect(rows[1]?.textContent).toContain('464 px più larga dello schermo')
})

test('a browser is called as people call it', async () => {
  show([cell('chromium 156', 'passed')], 'browser')
  expect(await screen.findByRole('button', { name: '/crm, Chromium 156: passata' })).toBeTruthy()
})

test('a failure is accepted until a day with a note, and its picture is shown', async () => {
  const calls = show([cell('360', 'failed')])
  await userEvent.click(await screen.findByRole('button', { name: '/crm, 360 px: fallita' }))
  const dialog = screen.getByRole('dialog')
  const picture = await within(dialog).findByRole('img', { name: '/crm durante la prova' })
  expect(picture.getAttribute('src')).toBe('data:image/png;base64,iVBORw0KGgo=')
  await userEvent.click(within(dialog).getByRole('button', { name: 'Salva' }))
  expect(within(dialog).getByRole('alert').textContent).toBe('Scrivi una nota')
  await userEvent.type(within(dialog).getByLabelText('Nota'), 'Si vede a dicembre')
  await userEvent.click(within(dialog).getByRole('button', { name: 'Salva' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(calls.find(({ path }) => path.endsWith('/admin_judge_qa'))?.body).toEqual({
    _kind: 'mobile',
    _route: '/crm',
    _place: '360',
    _outcome: 'accepted',
    _note: 'Si vede a dicembre',
    _until: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
  })
})

test('nothing is accepted where nothing failed, and the page opens in a window of the width', async () => {
  const open = vi.spyOn(window, 'open').mockReturnValue(null)
  show([cell('360', 'passed')])
  await userEvent.click(await screen.findByRole('button', { name: '/crm, 360 px: passata' }))
  expect(screen.queryByText(/^Accetta eccezione/)).toBeNull()
  await userEvent.click(screen.getByRole('button', { name: 'Apri a 360 px' }))
  expect(open).toHaveBeenCalledWith('/crm', 'socio-360', 'popup,width=360,height=740')
})

test('a report is imported with its browser, and a refusal is shown as the server says it', async () => {
  const calls = show([], 'browser', { status: 422, body: { code: 'bad_report', message: 'Manca «suites»' } })
  await userEvent.click(await screen.findByRole('button', { name: 'Importa esito' }))
  const dialog = screen.getByRole('dialog')
  await userEvent.click(within(dialog).getByRole('button', { name: 'Importa' }))
  expect(within(dialog).getByRole('alert').textContent).toBe('Scegli il file')
  await userEvent.upload(within(dialog).getByLabelText('File'), new File(['{}'], 'report.json'))
  await userEvent.type(within(dialog).getByLabelText('Browser'), 'firefox')
  await userEvent.type(within(dialog).getByLabelText('Versione'), '140.2')
  await userEvent.click(within(dialog).getByRole('button', { name: 'Importa' }))
  await waitFor(() => expect(within(dialog).getByRole('alert').textContent).toBe('Manca «suites»'))
  expect(calls.some(({ path }) => path.endsWith('/qa_report?browser=firefox&version=140.2'))).toBe(true)
})

// Without a zone, so that they are of the reader's.
const one = { id: 'a', asked_at: '2026-11-29T11:00:00' }
const states: [string, QaRequest, RegExp][] = [
  ['waiting', { ...one, state: 'waiting' }, /^In attesa di una macchina di prova dalle 11:00$/],
  [
    'running',
    { ...one, state: 'running', machine: 'banco-1', taken_at: '2026-11-29T11:01:00' },
    /^In corso su banco-1 dalle 11:01$/,
  ],
  [
    'done',
    { ...one, state: 'done', machine: 'banco-1', ended_at: '2026-11-29T11:09:00' },
    /^Finita su banco-1: 29\/11\/2026 11:093 controlli falliti: vedi «Ultime prove»$/,
  ],
  [
    'failed',
    { ...one, state: 'failed', machine: 'banco-1', ended_at: '2026-11-29T11:09:00', failure: 'Manca Chromium' },
    /^Fallita su banco-1: Manca Chromium$/,
  ],
  [
    'not taken',
    { ...one, state: 'expired', machine: null, seen_at: null },
    /^Scaduta: nessuna macchina l’ha presa entro un’ora dal 29\/11\/2026 11:00$/,
  ],
  [
    'silent',
    { ...one, state: 'expired', machine: 'banco-1', seen_at: '2026-11-29T11:04:00' },
    /^Scaduta: banco-1 non risponde più dal 29\/11\/2026 11:04$/,
  ],
]

const twoRuns = [
  { id: 'r1', started_at: one.asked_at, browser: 'firefox', browser_version: '140', failed: 1, request_id: 'a' },
  { id: 'r2', started_at: one.asked_at, browser: 'webkit', browser_version: '2', failed: 2, request_id: 'a' },
  { id: 'r3', started_at: one.asked_at, browser: 'chromium', browser_version: '156', failed: 5, request_id: null },
]

test.each(states)('a request that is %s says so', async (name, request, text) => {
  show([cell('360', 'passed')], 'mobile', undefined, { request, runs: twoRuns })
  const button = await screen.findByRole('button', { name: 'Avvia prova' })
  expect(screen.getByRole('status').textContent).toMatch(text)
  const isAsked = request.state === 'waiting' || request.state === 'running'
  // How to set up a machine, where perhaps there is none.
  expect(screen.queryByText(/qa_runner/) !== null).toBe(['waiting', 'not taken'].includes(name))
  expect(button.hasAttribute('disabled')).toBe(isAsked)
  expect(screen.queryByRole('button', { name: 'Annulla la prova' }) !== null).toBe(isAsked)
})

test('a run of the browsers is repeated', async () => {
  const calls = show([cell('firefox 140', 'passed')], 'browser', undefined, { request: null, runs: twoRuns })
  await userEvent.click(await screen.findByRole('button', { name: 'Ripeti prova' }))
  await waitFor(() =>
    expect(calls.find(({ path }) => path.endsWith('/admin_ask_qa'))?.body).toEqual({ _kind: 'browser' }),
  )
})

test('the request that is shown is the one that is cancelled', async () => {
  const calls = show([], 'mobile', undefined, { request: { ...one, state: 'waiting' }, runs: [] })
  await userEvent.click(await screen.findByRole('button', { name: 'Annulla la prova' }))
  await waitFor(() => expect(calls.find(({ path }) => path.endsWith('/admin_cancel_qa'))?.body).toEqual({ _id: 'a' }))
})
