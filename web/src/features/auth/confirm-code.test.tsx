import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { MemoryRouter, useLocation } from 'react-router'
import { expect, test } from 'vitest'

import { Toaster } from '@/components/ui/sonner'
import ConfirmPage from '@/features/auth/confirm-page'
import { paths } from '@/paths'

import { answerWith, makeSession } from '../../../test/network'

function Here() {
  return <p>at {useLocation().pathname}</p>
}

function open(type: string) {
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MemoryRouter initialEntries={[`${paths.authConfirm}?type=${type}`]}>
        <ConfirmPage />
        <Here />
        <Toaster />
      </MemoryRouter>
    </QueryClientProvider>,
  )
  return userEvent.setup()
}

test('the first of the two codes of an e-mail change announces nothing, and asks for the second', async () => {
  // The answer of POST /verify until the other address has agreed too.
  let answer: unknown = { msg: 'Confirmation link accepted', code: '200' }
  const calls = answerWith(() => ({ body: answer }))
  const user = open('email_change')
  await user.type(screen.getByLabelText('Indirizzo che ha ricevuto l’email'), 'vecchio@socio.example')
  await user.type(screen.getByLabelText('Codice di sei cifre'), '123456')
  await user.click(screen.getByRole('button', { name: 'Conferma indirizzo' }))
  expect(await screen.findByRole('heading', { name: 'Manca un passo' })).toBeDefined()
  expect(screen.queryByText('Indirizzo confermato')).toBeNull()
  expect(screen.getByText(`at ${paths.authConfirm}`)).toBeDefined()

  answer = makeSession()
  await user.click(screen.getByRole('button', { name: 'Inserisci l’altro codice' }))
  expect(screen.getByLabelText('Codice di sei cifre')).toHaveProperty('value', '')
  await user.type(screen.getByLabelText('Indirizzo che ha ricevuto l’email'), 'nuovo@socio.example')
  await user.type(screen.getByLabelText('Codice di sei cifre'), '654321')
  await user.click(screen.getByRole('button', { name: 'Conferma indirizzo' }))
  expect(await screen.findByText('Indirizzo confermato')).toBeDefined()
  expect(await screen.findByText(`at ${paths.landing}`)).toBeDefined()
  expect(calls.map(({ body }) => body)).toMatchObject([
    { email: 'vecchio@socio.example', token: '123456', type: 'email_change' },
    { email: 'nuovo@socio.example', token: '654321', type: 'email_change' },
  ])
})

test('while a mail is asked for nothing else can be pressed', async () => {
  answerWith(() => ({ body: {} }))
  const fetchNow = fetch
  const gate = Promise.withResolvers<void>()
  window.fetch = async (...call) => {
    await gate.promise
    return fetchNow(...call)
  }
  const user = open('signup')
  await user.type(screen.getByLabelText('Email'), 'giulia@socio.example')
  const again = screen.getByRole('button', { name: 'Invia di nuovo' })
  await user.click(again)
  await waitFor(() => expect(again.matches(':disabled')).toBe(true))
  expect(screen.getByRole('button', { name: 'Conferma indirizzo' }).matches(':disabled')).toBe(true)
  gate.resolve()
  expect(await screen.findByText('Email inviata di nuovo! Controlla la tua casella.')).toBeDefined()
  expect(again.matches(':disabled')).toBe(false)
})

test.each([
  ['magiclink', 'Entra', paths.landing],
  ['invite', 'Accetta l’invito', paths.resetPassword],
])('the code of a mail of type %s is asked for in its own words', async (type, submit, next) => {
  const calls = answerWith(() => ({ body: makeSession() }))
  const user = open(type)
  await user.type(screen.getByLabelText('Email'), 'ugo@socio.example')
  await user.type(screen.getByLabelText('Codice di sei cifre'), '123456')
  await user.click(screen.getByRole('button', { name: submit }))
  expect(await screen.findByText(`at ${next}`)).toBeDefined()
  expect(calls.map(({ body }) => body)).toMatchObject([{ token: '123456', type }])
})
