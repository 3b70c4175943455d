import { setImmediate } from 'node:timers/promises'

import { act, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { MemoryRouter } from 'react-router'
import { toast } from 'sonner'
import { beforeEach, expect, test, vi } from 'vitest'

import { type AuthState, AuthContext, guest } from '@/data/auth-context'
import built from '@/data/catalog.gen.json'
import type { Catalog } from '@/data/catalog'
import { usePurchase } from '@/features/store/use-purchase'

import { answerWith, storeSession } from '../../../test/network'

const packs = (built as Catalog).packs
const member = { ...guest, user: { id: 'user-1' } } as AuthState
const another = { ...guest, user: { id: 'user-2' } } as AuthState

function Shop({ onFailure }: { onFailure: () => void }) {
  const { loading, buy, sheet } = usePurchase({ path: '/store', onFailure })
  return (
    <>
      {packs.map((pack) => (
        <button key={pack.id} disabled={loading === pack.id} onClick={() => buy(pack.id)}>
          {loading === pack.id ? 'Elaborazione...' : pack.store_name}
        </button>
      ))}
      {sheet}
    </>
  )
}

function open() {
  const failures: string[] = []
  const page = (state: AuthState) => (
    <MemoryRouter>
      <AuthContext value={state}>
        <Shop onFailure={() => failures.push('failed')} />
      </AuthContext>
    </MemoryRouter>
  )
  const { rerender } = render(page(member))
  return { user: userEvent.setup(), failures, become: (state: AuthState) => rerender(page(state)) }
}

const button = (name: string) => screen.getByRole('button', { name, hidden: true })

beforeEach(() => storeSession())

test('the chosen pack is busy while its form is open, and free again when it is closed', async () => {
  answerWith(() => ({ body: [] }))
  const { user } = open()
  await user.click(button('Blocca il Tuo Mese'))
  expect(await screen.findByRole('dialog', { name: 'Dati per la fattura' })).toBeDefined()
  expect(button('Elaborazione...')).toHaveProperty('disabled', true)
  await user.keyboard('{Escape}')
  expect(button('Blocca il Tuo Mese')).toHaveProperty('disabled', false)
})

test('a page that the back button brings back as it was left is idle', async () => {
  answerWith(() => ({ body: [] }))
  const { user } = open()
  await user.click(button('Blocca il Tuo Mese'))
  await screen.findByRole('dialog')
  act(() => void window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(button('Blocca il Tuo Mese')).toHaveProperty('disabled', false)
})

test('the data of the last order stand in the form; without an answer it is empty', async () => {
  const billing = { kind: 'persona', name: 'Anna Verdi', tax_code: 'RCCMNL83S18D969H', city: 'Milano' }
  let answer: { status?: number; body: unknown } = { status: 500, body: { message: 'boom' } }
  answerWith(() => answer)
  const { user, failures } = open()
  await user.click(button('Blocca il Tuo Mese'))
  expect(await screen.findByLabelText('Codice fiscale')).toHaveProperty('value', '')
  await user.keyboard('{Escape}')

  answer = { body: [{ billing }] }
  await user.click(button('Blocca il Tuo Mese'))
  expect(await screen.findByLabelText('Codice fiscale')).toHaveProperty('value', 'RCCMNL83S18D969H')
  expect(failures).toEqual([])
})

test.each([
  ['a logout', guest],
  ['another person', another],
])('%s closes the form of the one who opened it', async (_what, state) => {
  answerWith(() => ({ body: [] }))
  const { user, become } = open()
  await user.click(button('Blocca il Tuo Mese'))
  await screen.findByRole('dialog')
  become(state)
  expect(screen.queryByRole('dialog')).toBeNull()
  expect(button('Blocca il Tuo Mese')).toHaveProperty('disabled', false)
  become(member)
  expect(screen.queryByRole('dialog')).toBeNull()
})

test('what arrives for a person who has gone is shown to nobody', async () => {
  const answered = answerWith(() => ({ body: [] }))
  const answer = fetch
  const gate = Promise.withResolvers<void>()
  window.fetch = async (...call) => {
    await gate.promise
    return answer(...call)
  }
  const { user, failures, become } = open()
  await user.click(button('Blocca il Tuo Mese'))
  become(another)
  gate.resolve()
  // The last order, and the catalog.
  await waitFor(() => expect(answered).toHaveLength(2))
  await act(() => setImmediate())
  expect(screen.queryByRole('dialog')).toBeNull()
  expect(failures).toEqual([])
})

test('a price that has changed meanwhile is shown before anything is sent', async () => {
  const newer = {
    ...built,
    version: built.version + 1,
    packs: packs.map((pack) => Object.assign({}, pack, { price_cents: 7999 })),
  }
  answerWith(({ path }) => ({ body: path.includes('catalog') ? newer : [] }))
  const { user } = open()
  await user.click(button('Blocca il Tuo Mese'))
  expect((await screen.findByRole('dialog')).textContent).toContain('1.150 crediti · 79,99\u00a0€')
})

const complete = {
  kind: 'persona',
  name: 'Anna Verdi',
  tax_code: 'RCCMNL83S18D969H',
  address: 'Via Roma 1',
  postal_code: '20121',
  city: 'Milano',
  province: 'MI',
}

test('a checkout that opens for a person who has gone is not gone to', async () => {
  const assign = vi.fn<(address: string) => void>()
  vi.stubGlobal('location', { ...window.location, assign })
  const calls = answerWith(({ path }) => ({
    body: path.includes('create_checkout') ? { url: 'https://pay.example/1' } : [{ billing: complete }],
  }))
  const { user, failures, become } = open()
  await user.click(button('Blocca il Tuo Mese'))
  await user.click(await screen.findByRole('checkbox'))
  const answer = fetch
  const gate = Promise.withResolvers<void>()
  window.fetch = async (...call) => {
    await gate.promise
    return answer(...call)
  }
  await user.click(screen.getByRole('button', { name: 'Vai al pagamento' }))
  become(another)
  gate.resolve()
  await waitFor(() => expect(calls.at(-1)?.path).toContain('create_checkout'))
  await act(() => setImmediate())
  expect(assign).not.toHaveBeenCalled()
  expect(failures).toEqual([])
})

test('a refused form sends nothing, and an answer without an address gives the button back', async () => {
  const calls = answerWith(({ path }) => ({
    body: path.includes('create_checkout') ? {} : [{ billing: complete }],
  }))
  const { user, failures } = open()
  await user.click(button('Blocca il Tuo Mese'))
  await user.click(await screen.findByRole('button', { name: 'Vai al pagamento' }))
  expect(await screen.findByText('Per continuare serve la tua conferma')).toBeDefined()
  expect(calls.filter(({ path }) => path.includes('create_checkout'))).toEqual([])

  await user.click(screen.getByRole('checkbox'))
  await user.click(screen.getByRole('button', { name: 'Vai al pagamento' }))
  await waitFor(() => expect(failures).toEqual(['failed']))
  expect(button('Blocca il Tuo Mese')).toHaveProperty('disabled', false)
})

test('what is being paid already is told so, and is no failure', async () => {
  const info = vi.spyOn(toast, 'info')
  const message = 'Il pagamento di questo pacchetto è già in corso'
  answerWith(({ path }) =>
    path.includes('create_checkout')
      ? { status: 409, body: { code: 'payment_under_way', message } }
      : { body: [{ billing: complete }] },
  )
  const { user, failures } = open()
  await user.click(button('Blocca il Tuo Mese'))
  await user.click(await screen.findByRole('checkbox'))
  await user.click(screen.getByRole('button', { name: 'Vai al pagamento' }))
  await waitFor(() => expect(info).toHaveBeenCalledWith(message))
  expect(failures).toEqual([])
  expect(button('Blocca il Tuo Mese')).toHaveProperty('disabled', false)
})
