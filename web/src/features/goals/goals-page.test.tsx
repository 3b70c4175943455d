import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { MemoryRouter } from 'react-router'
import { expect, test } from 'vitest'

import { AuthContext } from '@/data/auth-context'
import { AGENTS } from '@/data/goals'
import GoalsPage from '@/features/goals/goals-page'

import { answerWith, storeSession } from '../../../test/network'
import { member } from '../../../test/profile'

const step = {
  goal_id: 'g',
  tool: 'mail',
  id: '00000000-0000-4000-8000-000000000001',
  hash: 'a'.repeat(64),
  state: 'in_approvazione',
  error: null,
  recipients: ['rossi@example.it'],
  rules: [{ id: 'E-01', reason: 'lo approvi sempre tu' }],
  preview: {
    title: 'Sollecito a Rossi srl',
    subject: 'Sollecito',
    body: 'Spett.le',
    cents: 122_000,
    tone: 2,
    lines: [],
  },
  created_at: '2026-11-26T08:00:00Z',
  done_at: null,
}
const other = {
  ...step,
  id: '00000000-0000-4000-8000-000000000002',
  preview: { ...step.preview, title: 'Sollecito a Verdi' },
}
const answers: Record<string, unknown> = {
  goals: [
    {
      id: 'g',
      agent: 'recupero_crediti',
      title: 'Recupero crediti',
      state: 'in_attesa',
      wait: 'utente',
      completed_at: null,
    },
  ],
  agent_mandates: [
    {
      id: 'm',
      agent: 'recupero_crediti',
      autonomy: 'supervisionata',
      max_cents: 500_000,
      max_recipients_day: 10,
      last_tone: 2,
      ibans: [],
      given_at: '2026-11-26T08:00:00Z',
    },
  ],
  goal_steps: [step, other],
  agents_stopped: { mine: false, all: false },
  agent_week: {
    sent: 2,
    sent_cents: 244_000,
    tidied: 1,
    refused: 0,
    blocked: 1,
    unneeded: 0,
    cashed_cents: 122_000,
    rules: [{ id: 'E-13', times: 1 }],
  },
  ethical_logs: [],
  ethical_log: { entries: 0, is_whole: true, broken_at: null, anchors: [] },
}

function show(changes: Record<string, unknown> = {}) {
  storeSession()
  answerWith(({ path }) => {
    const name = path.split('?', 1)[0]?.split('/').at(-1) ?? ''
    return { body: { ...answers, ...changes }[name] ?? null }
  })
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <AuthContext value={member}>
        <MemoryRouter>
          <GoalsPage />
        </MemoryRouter>
      </AuthContext>
    </QueryClientProvider>,
  )
}

test('what waits is one batch whose ticks decide the sum', async () => {
  show()
  expect(await screen.findByText('Aspetta te')).toBeTruthy()
  expect(
    screen.getByText(/fino a 5\.000,00 € per messaggio e 10 messaggi al giorno, tono al massimo deciso/),
  ).toBeTruthy()
  expect(screen.getByRole('button', { name: /Approva 2 · 2\.440,00/ })).toBeTruthy()
  await userEvent.click(screen.getByRole('checkbox', { name: /Verdi/ }))
  expect(screen.getByRole('button', { name: /Approva 1 · 1\.220,00/ })).toBeTruthy()
})

test('each agent has its own batch', async () => {
  show({
    goals: [...(answers.goals as object[]), { id: 'q', agent: 'segui_preventivi', state: 'in_attesa', wait: 'utente' }],
    goal_steps: [step, other, { ...step, id: '00000000-0000-4000-8000-000000000003', goal_id: 'q' }],
  })
  expect(await screen.findByText('Da approvare: 2 solleciti')).toBeTruthy()
  expect(screen.getByText('Da approvare: 1 messaggio')).toBeTruthy()
  expect(screen.getByRole('button', { name: /Approva 2 · 2\.440,00/ })).toBeTruthy()
})

test('a merge is approved alone, and says what stays', async () => {
  const merge = {
    ...step,
    goal_id: 'c',
    tool: 'merge',
    recipients: [],
    preview: { ...step.preview, body: 'Resta Anna.' },
  }
  const task = { ...merge, tool: 'task', preview: { ...step.preview, title: 'Completa', body: 'Manca l’email.' } }
  show({
    goals: [{ id: 'c', agent: 'pulizia_contatti', state: 'in_attesa', wait: 'utente' }],
    goal_steps: [merge, { ...merge, id: '2' }, { ...task, id: '3' }],
  })
  expect(await screen.findAllByRole('button', { name: 'Approva 1' })).toHaveLength(3)
  expect(screen.getAllByText('Resta Anna.')).toHaveLength(2)
  expect(screen.queryByText('Leggi il messaggio')).toBeNull()
})

test('the five agents say what they do and wait for', async () => {
  show()
  expect(await screen.findByText('Aspetta il tuo sì per 2 proposte.')).toBeTruthy()
  expect(screen.getByText('Oggi: 0 cose fatte, 0 crediti')).toBeTruthy()
  expect(screen.getByRole('link', { name: 'Scegli ora e canali' })).toBeTruthy()
})

test('a changed text is saved before it is approved', async () => {
  show()
  const [text] = await screen.findAllByLabelText('Testo')
  await userEvent.type(text as HTMLElement, ' gentile')
  const approve = screen.getByRole<HTMLButtonElement>('button', { name: /Approva 2/ })
  expect(approve.disabled).toBe(true)
  await userEvent.click(screen.getByRole('button', { name: 'Salva il messaggio' }))
  await waitFor(() => expect(approve.disabled).toBe(false))
})

test('the week says what was done and which rules spoke', async () => {
  show()
  expect((await screen.findByText('Incassati dopo un sollecito')).parentElement?.textContent).toContain('1.220,00')
  expect(screen.getByText('Regole applicate: E-13 (1 volta)')).toBeTruthy()
})

test('without a goal an agent says that it can write to nobody', async () => {
  show({ goals: [], agent_mandates: [], goal_steps: [] })
  expect(await screen.findAllByText('Spento')).toHaveLength(AGENTS.length)
  expect(screen.getAllByText(/non può (scrivere a nessuno|cambiare niente)/)).toHaveLength(AGENTS.length)
  const link = screen.getByRole('link', { name: 'Prova e attiva: Segui i preventivi' })
  expect(link.getAttribute('href')).toBe('/projects?vista=obiettivi&mandato=segui_preventivi')
})

test('a broken chain is told', async () => {
  const entry = {
    id: 'e',
    seq: 1,
    action: 'giudizio',
    verdict: 'consenti',
    human_decision: null,
    rules: [],
    at: '2026-11-26T08:00:00Z',
  }
  show({ ethical_logs: [entry], ethical_log: { entries: 1, is_whole: false, broken_at: 1, anchors: [] } })
  expect((await screen.findByRole('alert')).textContent).toContain('La catena non torna dalla voce 1')
})

test('the step about the accountant leads to the packet of its month', async () => {
  const packet = { ...step, goal_id: 'k', tool: 'task', args: { key: '2026-10:pacchetto' } }
  const done = { ...packet, id: '00000000-0000-4000-8000-000000000009', state: 'fatto', done_at: step.created_at }
  show({
    goals: [{ id: 'k', agent: 'chiusura_mese', state: 'in_attesa', wait: 'utente' }],
    goal_steps: [
      packet,
      { ...packet, id: '00000000-0000-4000-8000-000000000008', args: { key: '2026-10:file' } },
      done,
    ],
  })
  const links = await screen.findAllByRole('link', { name: 'Scarica il pacchetto' })
  const target = '/documents/fatture?pacchetto=2026-10'
  expect(links.map((link) => link.getAttribute('href'))).toEqual([target, target])
})
