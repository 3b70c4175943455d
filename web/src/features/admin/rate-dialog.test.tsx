import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { fireEvent, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'

import { RateDialog } from '@/features/admin/rate-dialog'

import { answerWith, storeSession } from '../../../test/network'

async function write(typed: Record<string, string>) {
  storeSession()
  const calls = answerWith(() => ({ status: 204 }))
  const onClose = vi.fn<() => void>()
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <RateDialog host="api.example" model="hears" onClose={onClose} />
    </QueryClientProvider>,
  )
  const every = { 'Dal giorno': '2026-01-01', Fonte: 'Listino del fornitore', ...typed }
  for (const [label, value] of Object.entries(every))
    fireEvent.change(screen.getByLabelText(label), { target: { value } })
  await userEvent.click(screen.getByRole('button', { name: 'Salva la tariffa' }))
  return {
    onClose,
    rates: () => calls.filter(({ path }) => path.includes('admin_set_ai_rate')).map(({ body }) => body),
  }
}

const common = { _host: 'api.example', _model: 'hears', _valid_from: '2026-01-01', _source: 'Listino del fornitore' }

test.each([
  [{ 'Al minuto di audio, €': '0,000667' }, { _minute_euros: 0.000667 }],
  [
    { 'In ingresso, €': '2', 'In uscita, €': '6.5' },
    { _input_euros: 2, _output_euros: 6.5 },
  ],
])('a rate of tokens or of minutes is written: %j', async (typed, written) => {
  const { onClose, rates } = await write(typed)
  await waitFor(() => expect(onClose).toHaveBeenCalled())
  expect(rates()).toEqual([{ ...common, ...written }])
})

test.each([
  [{}, 'Scrivi le tariffe dei token o quella al minuto'],
  [{ 'In ingresso, €': '2', 'Al minuto di audio, €': '1' }, 'Scrivi tutte e due le tariffe dei token, o nessuna'],
  [{ 'Al minuto di audio, €': '0,0000001' }, 'Scrivi gli euro, con al massimo sei decimali'],
] as [Record<string, string>, string][])('what is no rate is refused: %j', async (typed, message) => {
  const { rates } = await write(typed)
  await screen.findByText(message)
  expect(rates()).toEqual([])
})
