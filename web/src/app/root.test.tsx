import { act, render, screen } from '@testing-library/react'
import { MemoryRouter, Route, Routes } from 'react-router'
import { expect, test } from 'vitest'

import { verifyEmailCode } from '@/api/auth'
import { Root } from '@/app/root'
import { Toaster } from '@/components/ui/sonner'
import { paths } from '@/paths'

import { answerWith, makeSession } from '../../test/network'

function start(at: string = paths.landing) {
  answerWith(() => ({ body: makeSession() }))
  render(
    <MemoryRouter initialEntries={[at]}>
      <Routes>
        <Route element={<Root />}>
          <Route path={paths.landing} element="landing" />
          <Route path={paths.resetPassword} element="new password" />
        </Route>
      </Routes>
      <Toaster />
    </MemoryRouter>,
  )
}

test('a password recovery leads to the new password from wherever it happened', async () => {
  start()
  await act(() => verifyEmailCode('giulia@socio.example', '123456', 'recovery'))
  expect(await screen.findByText('new password')).toBeDefined()
})

test('an ordinary sign-in stays where it is', async () => {
  start()
  await act(() => verifyEmailCode('giulia@socio.example', '123456', 'signup'))
  expect(screen.getByText('landing')).toBeDefined()
})

test('a dead link of a mail is told wherever it leads', async () => {
  start(`${paths.landing}#error=access_denied&error_code=otp_expired`)
  expect(await screen.findByText('Il link o il codice è scaduto oppure è già stato usato.')).toBeDefined()
})
