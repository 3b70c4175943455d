import { act, render, screen } from '@testing-library/react'
import { MemoryRouter, Route, Routes } from 'react-router'
import { expect, test } from 'vitest'

import { verifyEmailCode } from '@/api/auth'
import { Root } from '@/app/root'
import { paths } from '@/paths'

import { answerWith, makeSession } from '../../test/network'

function start() {
  answerWith(() => ({ body: makeSession() }))
  render(
    <MemoryRouter initialEntries={[paths.landing]}>
      <Routes>
        <Route element={<Root />}>
          <Route path={paths.landing} element="landing" />
          <Route path={paths.resetPassword} element="new password" />
        </Route>
      </Routes>
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
