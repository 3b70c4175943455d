import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'

import { AuthContext } from '@/data/auth-context'
import { RetentionCard } from '@/features/settings/retention-card'

import { answerWith, storeSession } from '../../../test/network'
import { member } from '../../../test/profile'

const base = {
  reason: 'Per poterli ripristinare',
  every_minutes: 1440,
  last_is_ok: true,
  last_erased: 3,
  erased_30_days: 3,
  waiting: 2,
  last_run_at: '2026-11-26T08:05:00Z',
}

function show(answer: { status?: number; body: unknown }) {
  storeSession()
  answerWith(() => answer)
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <AuthContext value={member}>
        <RetentionCard />
      </AuthContext>
    </QueryClientProvider>,
  )
}

test('a rule says what waits and when it last ran', async () => {
  show({
    body: [
      { ...base, rule: 'trash', title: 'Cestino', period: '30 giorni' },
      { ...base, rule: 'errors', title: 'Errori', period: '90 giorni', waiting: null, last_erased: 0 },
      { ...base, rule: 'mails', title: 'Email', period: '180 giorni', last_is_ok: false },
      { ...base, rule: 'chat', title: 'Chat', period: 'Finché hai l’account', every_minutes: null, last_run_at: null },
      { ...base, rule: 'merges', title: 'Uniti', period: '30 giorni', last_run_at: null },
    ],
  })
  const [trash, errors, mails, chat, merges] = await screen.findAllByRole('listitem')
  expect(trash?.textContent).toMatch(/Tuoi in attesa: 2\. Ultimo controllo .*2026.*: 3 cancellati in tutto Socio\./)
  expect(errors?.textContent).toMatch(
    /^Errori90 giorni\. Per poterli ripristinare\.Ultimo controllo .*: niente di scaduto\./,
  )
  expect(mails?.textContent).toMatch(/non riuscito: riproviamo entro dieci minuti\./)
  expect(chat?.textContent).not.toContain('controllo')
  expect(merges?.textContent).toContain('Tuoi in attesa: 2. Il primo controllo arriva a breve.')
})

test('a failure can be tried again', async () => {
  show({ status: 500, body: { code: 'unexpected_failure', message: 'x' } })
  expect(await screen.findByRole('button', { name: 'Riprova' })).toBeTruthy()
})
