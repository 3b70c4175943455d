import { act, render, screen, waitFor } from '@testing-library/react'
import { toast } from 'sonner'
import { expect, test } from 'vitest'

import { signOut } from '@/api/auth'
import Toasts from '@/app/toasts'
import { renewSession } from '@/data/session'
import { forgetReturn } from '@/lib/return-path'

import { answerWith, storeSession } from '../../test/network'

test('what names the last person’s data leaves the screen with them, what tells of the logout stays', async () => {
  storeSession()
  answerWith(() => ({ status: 204 }))
  render(<Toasts />)
  act(() => void toast('Contatto eliminato', { description: 'Anna Verdi' }))
  expect(await screen.findByText('Anna Verdi')).toBeDefined()
  await act(async () => {
    await signOut('user-1')
    toast.success('Logout effettuato')
  })
  expect(await screen.findByText('Logout effettuato')).toBeDefined()
  await waitFor(() => expect(screen.queryByText('Anna Verdi')).toBeNull())
})

test('whose session was ended elsewhere reads why they are at the login', async () => {
  storeSession()
  answerWith(({ path }) =>
    path.includes('/token') ? { status: 400, body: { code: 'session_not_found', message: '' } } : { status: 204 },
  )
  render(<Toasts />)
  await act(renewSession)
  expect(await screen.findByText('La sessione è stata chiusa: accedi di nuovo.')).toBeDefined()
  forgetReturn()
})
