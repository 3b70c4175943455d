/** «Crea obiettivo»: the aims with price and state, and the plan that the mandate writes. */
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { expect, test } from 'vitest'

import { AuthContext } from '@/data/auth-context'
import GoalsPage from '@/features/goals/goals-page'
import { paths } from '@/paths'

import { answerWith, storeSession } from '../../../test/network'
import { member } from '../../../test/profile'

const letter = { tool: 'mail', channel: 'email', asks: true, undo: { s: 10 }, max_credits: 0, is_left_out: false }
const plan = {
  steps: [
    { ...letter, key: '1', tone: 1, days: -3, is_optional: true },
    { ...letter, key: '3', tone: 2, days: 8, is_optional: false, channel: 'whatsapp', undo: null, asks: false },
    { ...letter, key: '4', tone: 3, days: 20, is_optional: true, channel: 'pec', max_credits: 1 },
  ],
  max_credits: 50,
  plans_at: '7:00',
  mail_hours: ['8:00', '21:00'],
  closing_days: 15,
  most_a_day: null,
  most_approvals_a_day: 30,
  most_messages_a_week: 3,
}
const answers: Record<string, unknown> = {
  goals: [],
  agent_mandates: [],
  goal_steps: [],
  agents_stopped: { mine: false, all: false },
  own_ibans: [],
  goal_plan: plan,
  goal_dry_run: { sent: 2, clients: 1, already_paid: 0, blocked: 0, letters: [], reasons: [], steps: { '1': 2 } },
  chat_settings: { ai: true, prices: { letter: 1 } },
  ethical_logs: [],
  ethical_log: { entries: 0, is_whole: true, broken_at: null, anchors: [] },
}
const goal = (agent: string, state: string) => ({
  id: agent,
  agent,
  title: agent,
  state,
  wait: null,
  completed_at: null,
})

function show(at: string, changes: Record<string, unknown> = {}) {
  storeSession()
  const calls = answerWith(({ path }) => {
    const name = path.split('?', 1)[0]?.split('/').at(-1) ?? ''
    return { body: { ...answers, ...changes }[name] ?? null }
  })
  const router = createMemoryRouter([{ path: '/projects', element: <GoalsPage /> }], { initialEntries: [at] })
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <AuthContext value={member}>
        <RouterProvider router={router} />
      </AuthContext>
    </QueryClientProvider>,
  )
  const bodiesOf = (name: string) => calls.filter(({ path }) => path.endsWith(`/${name}`)).map(({ body }) => body)
  return { bodiesOf, address: () => router.state.location.pathname + router.state.location.search }
}

test('the empty state leads to the aims, and an aim by keyboard to its plan', async () => {
  const { bodiesOf, address } = show(paths.goals)
  await userEvent.click(await screen.findByRole('link', { name: 'Crea obiettivo' }))
  await screen.findByRole('button', { name: /Seguire i preventivi senza risposta.*gratis/ })
  expect(document.activeElement?.textContent).toBe('Che cosa vuoi ottenere?')
  await userEvent.tab()
  expect(document.activeElement?.textContent).toMatch(/^Farmi pagare le fatture scadute/)
  await userEvent.keyboard('{Enter}')
  await waitFor(() => expect(address()).toBe(paths.mandate('recupero_crediti')))
  expect(bodiesOf('plan_goal')).toEqual([{ _agent: 'recupero_crediti', _title: 'Recupero crediti' }])
  expect(bodiesOf('give_mandate')).toEqual([])
})

test('an aim that has a goal says how it is and creates no second one', async () => {
  const { bodiesOf, address } = show(paths.newGoal, {
    goals: [goal('recupero_crediti', 'attivo'), goal('pulizia_contatti', 'in_pausa')],
  })
  expect(await screen.findByRole('link', { name: /Tenere in ordine i contatti.*In pausa/ })).toBeTruthy()
  await userEvent.click(screen.getByRole('link', { name: /Farmi pagare.*Attivo/ }))
  expect(address()).toBe(paths.mandate('recupero_crediti'))
  expect(bodiesOf('plan_goal')).toEqual([])
})

test('the plan says of each step way, consent, undo and price, and is asked again as it is edited', async () => {
  const { bodiesOf } = show(paths.mandate('recupero_crediti'))
  const [first, second, last] = await screen.findAllByText(/^Per (email|PEC)|^Su WhatsApp/)
  await waitFor(() =>
    expect(first?.textContent).toBe(
      'Per email, tono cortese. Aspetta il tuo sì. Si annulla entro 10 secondi, poi no. Nella prova: 2.',
    ),
  )
  expect(second?.textContent).toBe(
    'Su WhatsApp, tono deciso, con l’eventuale tariffa di Meta. Parte senza chiedere, nei limiti del mandato. Non si può annullare.',
  )
  expect(last?.textContent).toContain('Per PEC, tono fermo')
  expect(screen.getByText('max 1 credito l’uno')).toBeTruthy()
  expect(screen.getByText(/^Al massimo 50 crediti per i testi dell’assistente/)).toBeTruthy()
  expect(screen.getByText(/mattina alle 7:00.*tra le 8:00 e le 21:00/)).toBeTruthy()
  // That which names the one before cannot be left out.
  expect(screen.queryByRole('checkbox', { name: /Secondo sollecito/ })).toBeNull()
  await userEvent.click(screen.getByRole('checkbox', { name: 'Promemoria, 3 giorni prima della scadenza' }))
  expect(await screen.findByText('Lasciato fuori: non lo fa.')).toBeTruthy()
  await userEvent.click(screen.getByRole('checkbox', { name: 'PEC per l’ultimo sollecito' }))
  await waitFor(() =>
    expect(bodiesOf('goal_plan').at(-1)).toMatchObject({ skipped_steps: ['1'], uses_pec: true, autonomy: 'proponi' }),
  )
  await userEvent.click(screen.getByRole('button', { name: 'Dai il mandato e attiva' }))
  await waitFor(() => expect(bodiesOf('give_mandate')[0]).toMatchObject({ _skipped_steps: ['1'], _uses_pec: true }))
})

test('a planned goal waits on its card, and is dropped there', async () => {
  const { bodiesOf } = show(paths.goals, { goals: [goal('chiusura_mese', 'pianificato')] })
  expect(await screen.findByText('Il piano è pronto: parte quando dai il mandato.')).toBeTruthy()
  expect(screen.getByRole('link', { name: 'Vedi il piano: Chiusura del mese' })).toBeTruthy()
  expect(screen.getByRole('link', { name: 'Crea obiettivo' })).toBeTruthy()
  await userEvent.click(screen.getByRole('button', { name: 'Scarta il piano: Chiusura del mese' }))
  await waitFor(() => expect(bodiesOf('move_goal')).toEqual([{ _id: 'chiusura_mese', _state: 'annullato' }]))
})
