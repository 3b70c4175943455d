import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { MemoryRouter } from 'react-router'
import { expect, test } from 'vitest'

import { AuthContext } from '@/data/auth-context'
import PrivacyPage from '@/features/settings/privacy-page'
import { readConsent } from '@/lib/consent'

import { answerWith, storeSession } from '../../../test/network'
import { makeProfile, member } from '../../../test/profile'

const figures = {
  domains: [
    {
      domain: 'clienti',
      basis: 'Il titolare sei tu (art. 28 GDPR)',
      tables: [
        { label: 'I tuoi contatti', count: 12 },
        { label: 'Le tue note', count: 3 },
      ],
      rules: [{ title: 'Cestino', period: '30 giorni dall’eliminazione' }],
    },
  ],
  files: { count: 2, bytes: 2048 },
  left_out: ['indici di ricerca'],
}
const month = { month: '2026-11-01', host: 'api.eu.mistral.ai', last_at: '2026-11-20T09:00:00Z' }
const answers: Record<string, unknown> = {
  '/rest/v1/contact_requests': [],
  '/rest/v1/contact_erasures': [],
  '/functions/v1/personal_figures': figures,
  '/functions/v1/chat_settings': { ai: true, local_only: false },
  '/auth/v1/sessions': [
    { id: 's', user_agent: null, created_at: '2026-11-20T09:00:00Z', refreshed_at: null, current: true },
  ],
  '/rest/v1/rpc/ai_usage_by_month': [
    {
      ...month,
      work: 'answer',
      mode: 'ia',
      provider: 'Mistral',
      model: 'large',
      answers: 2,
      tokens_in: 3400,
      tokens_out: 90,
      credits: 2,
    },
    {
      ...month,
      work: 'transcript',
      mode: 'ia',
      provider: 'Mistral',
      model: 'voxtral',
      answers: 3,
      tokens_in: null,
      tokens_out: null,
      credits: 4,
    },
    {
      ...month,
      work: 'answer',
      mode: 'locale',
      provider: null,
      model: null,
      answers: 1,
      tokens_in: null,
      tokens_out: null,
      credits: 0,
    },
  ],
  '/rest/v1/rpc/consent_timeline': [
    { at: '2026-11-21T09:00:00Z', purpose: 'ai', is_allowed: false, wording: 'Niente IA', provider: null, in_eu: null },
    {
      at: '2026-11-20T09:00:00Z',
      purpose: 'provider',
      is_allowed: true,
      wording: null,
      provider: 'Mistral',
      in_eu: true,
    },
    { at: '2026-11-19T09:00:00Z', purpose: 'terms', is_allowed: true, wording: null, provider: null, in_eu: null },
  ],
  '/rest/v1/data_exports': [
    {
      id: 'e',
      domains: ['clienti'],
      with_files: true,
      state: 'scaduto',
      created_at: '2026-11-20T09:00:00Z',
      bytes: 4096,
      expires_at: null,
    },
  ],
}

function show(actions: unknown[] = [], limitedSince: string | null = null) {
  storeSession()
  const calls = answerWith(({ method, path }) => {
    const plain = path.split('?')[0] ?? ''
    return { body: answers[plain] ?? (method === 'GET' ? actions : null) }
  })
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <AuthContext value={{ ...member, profile: makeProfile({ limited_since: limitedSince }) }}>
        <MemoryRouter>
          <PrivacyPage />
        </MemoryRouter>
      </AuthContext>
    </QueryClientProvider>,
  )
  return calls
}

const rows = async (name: string) => {
  const list = await screen.findByRole('list', { name })
  return within(list)
    .getAllByRole('listitem')
    .map(({ textContent }) => textContent)
}

test('each action of an admin is there with its reason, next to devices and copies', async () => {
  show([
    { id: 1, action: 'payment.replay', reason: 'Pagamento in ritardo', created_at: '2026-11-20T09:00:00Z' },
    { id: 2, action: 'something.new', reason: 'Prova', created_at: '2026-11-19T09:00:00Z' },
  ])
  const [replay, other] = await rows('Azioni degli amministratori')
  expect(replay).toMatch(/^Un pagamento è stato elaborato di nuovo.*Pagamento in ritardo$/)
  expect(other).toMatch(/^Intervento sul tuo account.*Prova$/)
  expect((await rows('I tuoi dispositivi'))[0]).toContain('(questo)')
  expect((await rows('Copie dei dati'))[0]).toMatch(
    /^Archivio di 4 kB.*Clienti, email e trattative · con i file originali$/,
  )
})

test('figures say how much, on which basis, until when and where it is corrected', async () => {
  show()
  const [clients] = await rows('I tuoi dati in numeri')
  expect(clients).toMatch(/^Clienti, email e trattative15I tuoi contatti12Le tue note3/)
  expect(clients).toContain('Il titolare sei tu (art. 28 GDPR)')
  expect(clients).toContain(
    'Cestino: 30 giorni dall’eliminazioneIl resto: finché non lo elimini, o finché hai l’account',
  )
  expect(screen.getByRole('link', { name: 'Vedi e correggi i clienti' }).getAttribute('href')).toBe('/crm')
})

test('the use of AI is counted by provider, and local mode alone is one switch', async () => {
  const calls = show()
  expect(await rows('Uso dell’IA')).toEqual([
    'Mistral, large · novembre 20262 risposte · inviati 3.400 token, ricevuti 90 · 2 crediti',
    'Mistral, voxtral · novembre 20263 trascrizioni · 4 crediti',
    'Nessun fornitore: modalità locale · novembre 20261 risposta · non è uscito niente',
  ])
  const wording = 'Solo modalità locale: niente di mio va a un fornitore di IA'
  await userEvent.click(screen.getByRole('checkbox', { name: wording }))
  const body = { purpose: 'ai', is_allowed: false, wording }
  expect(calls).toContainEqual({ method: 'POST', path: '/rest/v1/privacy_choices', body })
})

test('the timeline of consents says what was read', async () => {
  show()
  const [local, provider, terms] = await rows('I tuoi consensi')
  expect(local).toMatch(/^Solo modalità locale: accesa.*Testo: «Niente IA»$/)
  expect(provider).toMatch(/^Sì a Mistral.*risponde dall’Europa$/)
  expect(terms).toMatch(/^Termini di Servizio accettati.*Creando l’account, versione 2\.0$/)
})

test('statistics are one switch, which the account remembers with its words', async () => {
  const calls = show()
  expect(await screen.findByText(/nessun amministratore è intervenuto/)).toBeDefined()
  const wording = 'Statistiche d’uso, da questo browser'
  const statistics = screen.getByRole('checkbox', { name: wording })
  const said = (isAllowed: boolean) => ({
    method: 'POST',
    path: '/rest/v1/privacy_choices',
    body: { purpose: 'statistics', is_allowed: isAllowed, wording },
  })
  await userEvent.click(statistics)
  expect(readConsent()).toBe('accepted')
  expect(calls).toContainEqual(said(true))
  await userEvent.click(statistics)
  expect(readConsent()).toBe('rejected')
  expect(calls).toContainEqual(said(false))
})

test.each([
  [null, 'Limita', true],
  ['2026-11-20T09:00:00Z', 'Togli il limite', false],
] as const)('limited since %s, the button is «%s»', async (since, button, isLimited) => {
  const calls = show([], since)
  await userEvent.click(screen.getByRole('button', { name: button }))
  expect(calls).toContainEqual({
    method: 'POST',
    path: '/rest/v1/rpc/limit_processing',
    body: { _is_limited: isLimited },
  })
})
