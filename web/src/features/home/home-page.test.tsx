import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { MemoryRouter } from 'react-router'
import { Toaster } from 'sonner'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { AuthContext } from '@/data/auth-context'
import type { Home } from '@/data/home'
import HomePage from '@/features/home/home-page'

import { makeHome, makeInsight } from '../../../test/home'
import { answerWith, storeSession } from '../../../test/network'
import { member } from '../../../test/profile'

const plain = (text: string | null) => text?.replaceAll(/\s/g, ' ')

// The chart is below what is seen; a browser shows it in e2e/home.spec.ts.
beforeEach(() => {
  vi.stubGlobal(
    'IntersectionObserver',
    class {
      observe = () => undefined
      disconnect = () => undefined
    },
  )
})

afterEach(() => vi.useRealTimers())

function show() {
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <AuthContext value={member}>
        <MemoryRouter>
          <HomePage />
          <Toaster />
        </MemoryRouter>
      </AuthContext>
    </QueryClientProvider>,
  )
}

/** Opens the page; each answer of the server is the next of `homes`, the last again and again. */
function open(...homes: (Home | null)[]) {
  storeSession()
  let asked = 0
  const calls = answerWith(({ path }) => {
    if (path.includes('/rpc/home_overview')) {
      const home = homes[Math.min(asked, homes.length - 1)]
      asked += 1
      return home ? { body: home } : { status: 400, body: { code: 'X', message: 'broken' } }
    }
    return path.includes('/rpc/') ? { status: 204 } : { body: [] }
  })
  show()
  return (name: string) => calls.filter(({ path }) => path.endsWith(`/rpc/${name}`)).map(({ body }) => body)
}

test('a page that is left open goes on greeting by the hour and the day', () => {
  vi.useFakeTimers({ now: new Date(2026, 10, 20, 17, 59) })
  show()
  expect(screen.getByText('Buon pomeriggio, Giulia')).toBeDefined()
  act(() => void vi.advanceTimersByTime(60_000))
  expect(screen.getByText('Buonasera, Giulia')).toBeDefined()
  expect(screen.getByText('venerdì 20 novembre')).toBeDefined()
  act(() => void vi.advanceTimersByTime(6 * 3_600_000))
  expect(screen.getByText('sabato 21 novembre')).toBeDefined()
  cleanup()
})

test('mail that waits is counted, named and opened; without any there is no card', async () => {
  const thread = { id: 'thread-1', subject: 'Preventivo', party: 'Neri srl', last_at: '2026-11-20T09:00:00Z' }
  open({ ...makeHome(), mail: { count: 4, threads: [{ ...thread, has_warnings: true }] } })
  const list = await screen.findByRole('list', { name: 'Posta da gestire' })
  const link = within(list).getByRole('link', { name: /Neri srl: Preventivo/ })
  expect(link.getAttribute('href')).toBe('/crm?vista=posta&conversazione=thread-1')
  expect(within(link).getByLabelText('Attenzione')).toBeDefined()
  expect(screen.getByRole('link', { name: '4 conversazioni da gestire' }).getAttribute('href')).toBe('/crm?vista=posta')
  cleanup()
  open({ ...makeHome(), mail: { count: 0, threads: [] } })
  await screen.findByRole('list', { name: 'In breve' })
  expect(screen.queryByText('Posta da gestire')).toBeNull()
})

test('each figure opens its rows, and what it leaves out is named', async () => {
  const home = makeHome()
  open({
    ...home,
    to_cash: {
      ...home.to_cash,
      open_cents: 999_050,
      late_cents: 399_050,
      undated: 1,
      undated_cents: 5_000,
      others: { USD: 700 },
    },
    deals: { ...home.deals, count: 11, cents: 3_045_000, weighted_cents: 1_373_250 },
    work: { ...home.work, today: 3, late: 1 },
    waiting: { count: 2, issued: 2, issued_cents: 100, received: 0, received_cents: 0 },
  })
  const tiles = within(await screen.findByRole('list', { name: 'In breve' })).getAllByRole('link')
  expect(tiles.map((tile) => [tile.getAttribute('href'), plain(tile.textContent)])).toEqual([
    [
      '/documents/fatture?tipo=attive',
      'Da incassare9.990,50 €3.990,50 € in ritardopiù 7,00 USD50,00 € senza scadenzafuori dai conti 2 fatture da verificare',
    ],
    ['/crm/trattative', 'Trattative aperte30.450,00 €11, ponderato 13.732,50 €'],
    ['/tasks', 'Attività di oggi31 scaduta'],
    ['/settings/credits', 'Crediti100a disposizione'],
  ])
})

test('the briefing leads to its rows and ends with where to begin', async () => {
  open(
    makeHome({
      briefing: [
        { section: 'agenda', text: 'Oggi 2 attività.' },
        { section: 'persone', text: 'Da risentire: Luca Verdi.' },
      ],
      insights: [makeInsight()],
    }),
  )
  expect((await screen.findByRole('link', { name: 'Oggi 2 attività.' })).getAttribute('href')).toBe('/tasks')
  expect(screen.getByRole('link', { name: 'Da risentire: Luca Verdi.' }).getAttribute('href')).toMatch(
    /^\/crm\?filtro=/,
  )
  expect(screen.getByText('Comincia da qui: Fattura 12, Neri srl.')).toBeDefined()
})

test('a day without lines is not called quiet while something is suggested', async () => {
  open(makeHome({ insights: [makeInsight()] }))
  expect(await screen.findByText('Comincia da qui: Fattura 12, Neri srl.')).toBeDefined()
  expect(screen.queryByText(/Oggi niente scadenze/)).toBeNull()
})

test('a page that cannot be read says so and tries again', async () => {
  open(null, makeHome())
  await userEvent.click(await screen.findByRole('button', { name: 'Riprova' }))
  expect(await screen.findByText(/Oggi niente scadenze/)).toBeDefined()
  expect(screen.getByText(/Niente di urgente/)).toBeDefined()
  expect(screen.getByText('Ancora nessuna fattura emessa')).toBeDefined()
})

test('the first five are shown, and the others after a press', async () => {
  open(makeHome({ insights: Array.from({ length: 8 }, (_, n) => makeInsight({ id: `${n}`, title: `Fattura ${n}` })) }))
  const list = within(await screen.findByRole('list', { name: 'Da fare adesso' }))
  expect(list.getAllByRole('listitem')).toHaveLength(5)
  await userEvent.click(screen.getByRole('button', { name: '3 altre' }))
  expect(list.getAllByRole('listitem')).toHaveLength(8)
})

test('an answer that is due opens its thread', async () => {
  open(
    makeHome({
      insights: [
        makeInsight({
          kind: 'risposta_dovuta',
          action: 'rispondi',
          entity_type: 'thread',
          entity_id: 't-1',
          amount_cents: null,
        }),
      ],
    }),
  )
  expect((await screen.findByRole('link', { name: 'Rispondi' })).getAttribute('href')).toBe(
    '/crm?vista=posta&conversazione=t-1',
  )
})

test('j and k go through the cards', async () => {
  open(makeHome({ insights: [makeInsight(), makeInsight({ id: 'insight-2', title: 'Fattura 13' })] }))
  await screen.findByRole('link', { name: 'Fattura 13' })
  await userEvent.keyboard('jj')
  expect(document.activeElement?.textContent).toBe('Fattura 13')
  await userEvent.keyboard('k')
  expect(document.activeElement?.textContent).toBe('Fattura 12, Neri srl')
})

test('one that is put off or refused goes at once, says why, and comes back with «Annulla»', async () => {
  const home = makeHome({ insights: [makeInsight()] })
  const asked = open(home, makeHome(), home, makeHome())
  await userEvent.click(await screen.findByRole('button', { name: 'Rimanda: Fattura 12, Neri srl' }))
  await userEvent.click(screen.getByRole('menuitem', { name: 'fra 3 giorni' }))
  await waitFor(() => expect(screen.queryByRole('link', { name: 'Fattura 12, Neri srl' })).toBeNull())
  fireEvent.click(await screen.findByRole('button', { name: 'Annulla' }))
  await userEvent.click(await screen.findByRole('button', { name: 'Non utile: Fattura 12, Neri srl' }))
  await userEvent.click(screen.getByRole('menuitem', { name: 'Non è vero' }))
  await waitFor(() => expect(asked('answer_insight')).toHaveLength(3))
  expect(asked('answer_insight')).toEqual([
    { _insight_id: 'insight-1', _state: 'rimandata', _until: expect.stringMatching(/T0[67]:00:00.000Z$/) },
    { _insight_id: 'insight-1', _state: 'nuova' },
    { _insight_id: 'insight-1', _state: 'scartata', _reason: 'Non è vero' },
  ])
})

test('a kind that is not wanted any more goes with all of its cards', async () => {
  const asked = open(
    makeHome({ insights: [makeInsight(), makeInsight({ id: 'insight-2', title: 'Fattura 13' })] }),
    makeHome(),
  )
  await userEvent.click(await screen.findByRole('button', { name: 'Non utile: Fattura 13' }))
  await userEvent.click(screen.getByRole('menuitem', { name: 'Non mostrarmi più questo tipo' }))
  expect(await screen.findByText('«Fatture scadute»: tipo nascosto')).toBeDefined()
  expect(screen.queryByRole('list', { name: 'Da fare adesso' })).toBeNull()
  expect(asked('switch_insights')).toEqual([{ _kind: 'fattura_scaduta', _is_enabled: false }])
})

test('an answer that the server refuses brings the card back', async () => {
  storeSession()
  answerWith(({ path }) => {
    if (path.includes('/rpc/home_overview')) return { body: makeHome({ insights: [makeInsight()] }) }
    return path.includes('/rpc/') ? { status: 400, body: { code: 'X', message: 'broken' } } : { body: [] }
  })
  show()
  await userEvent.click(await screen.findByRole('button', { name: /^Non utile/ }))
  await userEvent.click(screen.getByRole('menuitem', { name: 'Non mi interessa' }))
  expect(await screen.findByText('Non siamo riusciti a salvare: riprova')).toBeDefined()
  expect(await screen.findByRole('link', { name: 'Fattura 12, Neri srl' })).toBeDefined()
})

test('a late invoice becomes a letter, which rests the insight when it leaves', async () => {
  const asked = open(makeHome({ insights: [makeInsight()] }), makeHome())
  await userEvent.click(await screen.findByRole('button', { name: 'Sollecita' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Sollecito' }))
  expect(dialog.getByLabelText<HTMLInputElement>('Oggetto').value).toBe('Sollecito di pagamento: fattura 12')
  const text = plain(dialog.getByLabelText<HTMLTextAreaElement>('Testo').value)
  expect(text).toContain('La fattura n. 12 del 3 ottobre 2026, di 1.220,00 €, risulta ancora da saldare')
  await userEvent.click(dialog.getByRole('button', { name: 'Salva la bozza' }))
  await waitFor(() => expect(asked('answer_insight')).toEqual([{ _insight_id: 'insight-1', _state: 'fatta' }]))
})

test('what is written before the grammar is loaded goes on in it', async () => {
  open(makeHome())
  await screen.findByText(/Niente di urgente/)
  await userEvent.keyboard('n')
  await userEvent.keyboard('domani alle 15 chiamare Rossi')
  expect(await screen.findByRole('list', { name: 'Ho capito' })).toBeDefined()
  expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Nuova attività' }).value).toBe(
    'domani alle 15 chiamare Rossi',
  )
})

test('an Enter before the grammar is loaded adds the task once it is', async () => {
  open(makeHome())
  await screen.findByText(/Niente di urgente/)
  const line = screen.getByRole<HTMLInputElement>('textbox', { name: 'Nuova attività' })
  // As one who types ahead: both before the code is there.
  fireEvent.focus(line)
  fireEvent.change(line, { target: { value: 'Spedire il preventivo' } })
  fireEvent.keyDown(line, { key: 'Enter' })
  expect(await screen.findByText('Attività aggiunta')).toBeDefined()
  expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Nuova attività' }).value).toBe('')
})

test('a task of today is ticked where the day is read, and comes back with «Annulla»', async () => {
  const task = { id: 'task-1', title: 'Chiamare Neri', due_at: '2026-11-25T23:00:00Z', is_allday: true, contact: null }
  const bodies = open(
    makeHome({
      briefing: [{ section: 'agenda', text: 'Oggi un’attività: «Chiamare Neri».' }],
      work: { today: 1, late: 0, people: 0, names: [], tasks: [task] },
    }),
  )
  await userEvent.click(await screen.findByRole('checkbox', { name: 'Chiamare Neri' }))
  await waitFor(() => expect(bodies('complete_task')).toEqual([{ _task_id: 'task-1' }]))
  expect(screen.queryByRole('checkbox', { name: 'Chiamare Neri' })).toBeNull()
  fireEvent.click(await screen.findByRole('button', { name: 'Annulla' }))
  expect(await screen.findByRole('checkbox', { name: 'Chiamare Neri' })).toBeDefined()
  expect(bodies('reopen_task')).toEqual([{ _task_id: 'task-1' }])
})
