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
  letter: null,
  written_at: null,
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
      letter_credits: null,
      letter_budget: null,
      letter_style: null,
      given_at: '2026-11-26T08:00:00Z',
    },
  ],
  goal_steps: [step, other],
  agents_stopped: { mine: false, all: false },
  agent_week: {
    sent: 2,
    sent_cents: 244_000,
    tidied: 1,
    letters: 0,
    credits: 0,
    refused: 0,
    blocked: 1,
    unneeded: 0,
    cashed_cents: 122_000,
    rules: [{ id: 'E-13', times: 1 }],
  },
  outgoing_mails: [],
  whatsapp_messages: [],
  ethical_logs: [],
  ethical_log: { entries: 0, is_whole: true, broken_at: null, anchors: [] },
}

function show(changes: Record<string, unknown> = {}, at = '/') {
  storeSession()
  const calls = answerWith(({ path }) => {
    const name = path.split('?', 1)[0]?.split('/').at(-1) ?? ''
    return { body: { ...answers, ...changes }[name] ?? null }
  })
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <AuthContext value={member}>
        <MemoryRouter initialEntries={[at]}>
          <GoalsPage />
        </MemoryRouter>
      </AuthContext>
    </QueryClientProvider>,
  )
  return calls
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

test('a reminder says its channel, why it is not the one of the mandate, and what became of it', async () => {
  const price = { sums: [{ currency: 'EUR', least_micros: 0, most_micros: 30_000 }], unpriced: 0 }
  const preview = { ...step.preview, channel: 'whatsapp', body: 'Gentile Rossi srl', price }
  const done = { ...step, state: 'fatto', done_at: step.created_at }
  const pec = { ...done, id: '3', preview: { ...preview, title: 'Ultimo a Verdi', channel: 'pec' } }
  const mail = {
    id: 'l',
    key: '3',
    state: 'sent',
    error: null,
    reply: null,
    is_certified: true,
    sent_at: step.created_at,
    subject: 'Sollecito',
    mail_reports: [{ kind: 'avvenuta-consegna', at: step.created_at, is_external: false }],
  }
  const late = {
    ...mail,
    key: '4',
    state: 'failed',
    error: 'bounced',
    reply: 'superamento tempo massimo',
    mail_reports: [],
  }
  show({
    goal_steps: [
      { ...step, recipients: ['+393331234567'], preview },
      { ...other, preview: { ...step.preview, channel: 'email', note: 'Per email: il cliente non ha una PEC' } },
      pec,
      { ...pec, id: '4' },
      { ...done, id: '5', preview },
    ],
    outgoing_mails: [mail, late],
    whatsapp_messages: [{ key: '5', channel_id: 'c', state: 'read', error: null, read_at: step.created_at }],
  })
  expect(await screen.findByText('A +393331234567, su WhatsApp, tono deciso')).toBeTruthy()
  expect(screen.getByText(/^Costo con Meta: da 0,00/).textContent).toMatch(/0,03/)
  expect(screen.getByText(/^Per email: il cliente non ha una PEC\./)).toBeTruthy()
  expect(screen.getByRole('link', { name: 'Canali del mandato' })).toBeTruthy()
  // The text of a template is not changed.
  expect(screen.getAllByLabelText('Testo')).toHaveLength(1)
  expect(await screen.findByText(/^Consegnata/)).toBeTruthy()
  expect(screen.getByText('Non consegnata entro 24 ore')).toBeTruthy()
  expect((await screen.findByText(/^WhatsApp: letto/)).parentElement?.querySelector('a')?.getAttribute('href')).toBe(
    '/crm?vista=whatsapp&conversazione=c',
  )
})

test('a mandate asks for the template where it is missed, and is given with its channels', async () => {
  const calls = show(
    {
      agent_mandates: [],
      own_ibans: [],
      goal_dry_run: { sent: 0, clients: 0, already_paid: 0, blocked: 0, letters: [], reasons: [] },
      mail_accounts: { is_certified: false, is_shared: false },
      whatsapp_accounts: { id: 'w' },
      whatsapp_templates: [],
    },
    '/projects?vista=obiettivi&mandato=recupero_crediti',
  )
  const whatsapp = await screen.findByRole<HTMLInputElement>('checkbox', { name: 'Email, poi WhatsApp' })
  expect(whatsapp.checked).toBe(false)
  await userEvent.click(whatsapp)
  await userEvent.click(await screen.findByRole('button', { name: 'Proponi il modello a Meta' }))
  await userEvent.click(screen.getByRole('checkbox', { name: 'PEC per l’ultimo sollecito' }))
  expect(screen.getByText(/La tua casella non è una PEC/)).toBeTruthy()
  await userEvent.click(screen.getByRole('button', { name: 'Dai il mandato e attiva' }))
  await waitFor(() => expect(calls.find(({ path }) => path.endsWith('/give_mandate'))).toBeTruthy())
  const sent = Object.fromEntries(calls.map(({ path, body }) => [path.split('/').at(-1), body]))
  expect(sent.whatsapp_templates).toMatchObject({ name: 'promemoria_pagamento', category: 'UTILITY' })
  expect(sent.give_mandate).toMatchObject({ _uses_whatsapp: true, _uses_pec: true })
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
