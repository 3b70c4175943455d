import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { MemoryRouter } from 'react-router'
import { expect, test } from 'vitest'

import { AuthContext } from '@/data/auth-context'
import type { FlatRate } from '@/data/home'
import FlatRateCard from '@/features/home/flat-rate-card'

import { answerWith, storeSession } from '../../../test/network'
import { makeProfile, member } from '../../../test/profile'

const figure = (value: number) => ({ value, since: '2023-01-01', source: 'L. 190/2014' })
const begun: FlatRate = {
  year: 2026,
  cash_cents: 4_250_000,
  other_currencies: 0,
  threshold_cents: 8_500_000,
  exit_cents: 10_000_000,
  over_threshold_on: null,
  over_exit_on: null,
  projected_cents: null,
  reaches_threshold_on: null,
  figures: {
    soglia: figure(85_000),
    soglia_uscita: figure(100_000),
    imposta: figure(15),
    imposta_avvio: figure(5),
    gestione_separata: figure(26.07),
    redditivita_professioni: figure(78),
  },
  choices: null,
  set_aside: null,
}
const chosen: Partial<FlatRate> = {
  choices: {
    activity: 'redditivita_professioni',
    is_startup: false,
    contributions: 'gestione_separata',
    fixed_cents: null,
  },
  set_aside: { income_cents: 3_315_000, contribution_cents: 864_221, tax_cents: 367_617, cents: 1_231_838 },
}

function open(change: Partial<FlatRate> = {}, profile = member.profile) {
  storeSession()
  const calls = answerWith(({ path }) => ({
    body: path.includes('flat_rate_if') ? { ...chosen.set_aside, cents: 1_304_246 } : null,
  }))
  render(
    <QueryClientProvider client={new QueryClient()}>
      <AuthContext value={{ ...member, profile }}>
        <MemoryRouter>
          <FlatRateCard userId="user-1" flatRate={{ ...begun, ...change }} />
        </MemoryRouter>
      </AuthContext>
    </QueryClientProvider>,
  )
  return calls
}

test.each([
  [{}, 'Ti restano 42.500,00 € prima della soglia.'],
  [{ projected_cents: 5_000_000 }, 'Di questo passo chiudi il 2026 a 50.000,00 €, sotto la soglia.'],
  [{ reaches_threshold_on: '2026-11-04' }, /superi la soglia mercoledì 4 novembre/],
  [{ over_threshold_on: '2026-11-04' }, /dal 2027 esci dal forfettario/],
  [{ over_threshold_on: '2026-11-04', over_exit_on: '2026-12-01' }, /il forfettario finisce subito/],
])('how the year goes on: %j', (change, text) => {
  open(change)
  expect(screen.getByRole('meter', { name: 'Incassi dell’anno' }).getAttribute('aria-valuetext')).toMatch(
    /^Incassati 42.500,00.€ di 85.000,00.€$/,
  )
  expect(screen.getByText(text)).toBeDefined()
})

test('without the threshold of the law nothing is claimed', () => {
  open({ threshold_cents: null })
  expect(screen.queryByText(/Forfettario/)).toBeNull()
})

test('what is to be set aside, and what one more payment changes', async () => {
  open(chosen)
  expect(screen.getByText('12.318,38 €')).toBeDefined()
  const user = userEvent.setup()
  await user.type(screen.getByLabelText('E se incassi ancora…'), '2.500')
  expect(await screen.findByText(/Arrivi a 45.000,00 €: ti restano 40.000,00 € prima della soglia./)).toBeDefined()
  expect(await screen.findByText(/Da mettere da parte 724,08 € in più./)).toBeDefined()
  await user.clear(screen.getByLabelText('E se incassi ancora…'))
  await user.type(screen.getByLabelText('E se incassi ancora…'), 'molto')
  expect(screen.getByText(/Scrivi un importo in euro/)).toBeDefined()
})

test('two answers are enough, and a fixed amount must be one', async () => {
  const calls = open()
  const user = userEvent.setup()
  await user.click(screen.getByRole('button', { name: 'Calcola quanto mettere da parte' }))
  await user.click(await screen.findByLabelText('Artigiani, commercianti o cassa professionale'))
  await user.click(screen.getByRole('button', { name: 'Salva' }))
  expect(screen.getByText(/Scrivi un importo fino a 100.000 €/)).toBeDefined()
  await user.type(screen.getByLabelText('Contributi di quest’anno, in euro'), '4.500')
  await user.click(screen.getByRole('button', { name: 'Salva' }))
  await waitFor(() =>
    expect(calls.find(({ path, method }) => path.includes('flat_rate_choices') && method === 'POST')?.body).toEqual({
      activity: 'redditivita_professioni',
      is_startup: false,
      contributions: 'importo_fisso',
      fixed_cents: 450_000,
    }),
  )
})

test.each([
  [null, 'redditivita_professioni'],
  ['62.10.00', 'redditivita_altre'],
])('with the ATECO code %s the kind of activity begins as %s', async (ateco, kind) => {
  open({}, makeProfile({ ateco }))
  await userEvent.setup().click(screen.getByRole('button', { name: 'Calcola quanto mettere da parte' }))
  expect(await screen.findByLabelText('Che attività fai')).toHaveProperty('value', kind)
})

test('a kind of activity that was chosen is not moved by the ATECO code', async () => {
  open(chosen, makeProfile({ ateco: '62.10.00' }))
  await userEvent.setup().click(screen.getByRole('button', { name: /Cambia|Modifica/ }))
  expect(await screen.findByLabelText('Che attività fai')).toHaveProperty('value', 'redditivita_professioni')
})
