import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query'
import { render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { MemoryRouter, Route, Routes } from 'react-router'
import { expect, test } from 'vitest'

import { AuthContext } from '@/data/auth-context'
import { type Profile, profileQuery } from '@/data/profiles'
import { OnboardingPage } from '@/features/onboarding/onboarding-page'

import { answerWith, storeSession } from '../../../test/network'
import { makeProfile, member } from '../../../test/profile'

const newcomer = makeProfile({ onboarding_completed: false, onboarding_step: 0 })

function Page() {
  const { data = null } = useQuery({ ...profileQuery(newcomer.user_id), enabled: false })
  return (
    <AuthContext value={{ ...member, profile: data }}>
      <OnboardingPage intake={<p>Qui entrano i file</p>} />
    </AuthContext>
  )
}

/** The page of a tab that still shows `shown`, while the server knows `stored`; gives the changes that are sent. */
function open(stored: Profile, shown: Profile = newcomer) {
  storeSession()
  let row = stored
  const calls = answerWith(({ method, body }) => {
    if (method === 'PATCH') row = { ...row, ...(body as Partial<Profile>) }
    return { body: row }
  })
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  client.setQueryData(profileQuery(newcomer.user_id).queryKey, shown)
  render(
    <QueryClientProvider client={client}>
      <MemoryRouter initialEntries={['/onboarding']}>
        <Routes>
          <Route path="/onboarding" element={<Page />} />
          <Route path="/home" element={<p>La home</p>} />
        </Routes>
      </MemoryRouter>
    </QueryClientProvider>,
  )
  return () => calls.filter(({ method }) => method === 'PATCH').map(({ body }) => body)
}

const press = (name: string) => userEvent.click(screen.getByRole('button', { name }))

test('a newcomer saves what was answered and goes one step on, and back', async () => {
  const changes = open(newcomer)
  await userEvent.type(screen.getByLabelText('Che lavoro fai?'), 'Idraulica')
  await press('Continua')
  expect(await screen.findByRole('heading', { name: 'Importa' })).toBeDefined()
  await press('Indietro')
  expect(await screen.findByRole('heading', { name: 'Chi sei' })).toBeDefined()
  expect(changes()).toEqual([{ activity: 'Idraulica', onboarding_step: 1 }, { onboarding_step: 0 }])
})

test.each(['Continua', 'Salta'])('a tab left behind leads with «%s» to where the other one is', async (button) => {
  const changes = open({ ...newcomer, activity: 'Idraulica', goal: 'Lavorare meno', onboarding_step: 2 })
  await press(button)
  expect(await screen.findByRole('heading', { name: 'Canali' })).toBeDefined()
  await waitFor(() => expect(changes()).toEqual([{ onboarding_step: 2 }]))
})

test('what another tab has finished ends here too, and keeps what was typed here', async () => {
  const changes = open({ ...newcomer, activity: 'Idraulica', onboarding_completed: true, onboarding_step: 4 })
  await userEvent.type(screen.getByLabelText('Che lavoro fai?'), 'Grafica')
  await press('Continua')
  expect(await screen.findByText('La home')).toBeDefined()
  expect(changes()).toEqual([{ activity: 'Grafica', onboarding_step: 4 }])
})

test('what is loaded later moves neither «Continua» nor the focus', async () => {
  const second = { ...newcomer, onboarding_step: 1 }
  open(second, second)
  const samples = screen.getByRole<HTMLButtonElement>('button', { name: 'Usa dati di esempio' })
  expect(samples.disabled).toBe(true)
  const next = screen.getByRole('button', { name: 'Continua' })
  next.focus()
  await waitFor(() => expect(samples.disabled).toBe(false))
  expect(document.activeElement).toBe(next)
})

test('somebody who comes back looks at the answers and leaves', async () => {
  const known = makeProfile({ activity: 'Idraulica' })
  const changes = open(known, known)
  await press('Continua')
  expect(await screen.findByText('La home')).toBeDefined()
  expect(changes()).toEqual([{ onboarding_completed: true }])
})
