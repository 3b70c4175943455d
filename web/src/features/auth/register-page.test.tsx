import { render, screen } from '@testing-library/react'
import { MemoryRouter } from 'react-router'
import { expect, test } from 'vitest'

import RegisterPage from '@/features/auth/register-page'
import { paths } from '@/paths'

const hrefOf = (name: string) => screen.getByRole('link', { name }).getAttribute('href')

test('whoever creates an account reads what they accept', () => {
  render(
    <MemoryRouter>
      <RegisterPage />
    </MemoryRouter>,
  )
  expect(screen.getByText(/età minima 16 anni/)).toBeDefined()
  expect(hrefOf('Termini di Servizio')).toBe(paths.termsOfService)
  expect(hrefOf('Privacy Policy')).toBe(paths.privacyPolicy)
})

test('a plan that was chosen before is not forgotten, and nothing is promised about another word', () => {
  const { unmount } = render(
    <MemoryRouter initialEntries={[paths.registerFor('pro')]}>
      <RegisterPage />
    </MemoryRouter>,
  )
  expect(screen.getByText(/Hai scelto Pro\. Gli abbonamenti sono in arrivo: ti avvisiamo/)).toBeDefined()
  unmount()
  render(
    <MemoryRouter initialEntries={[paths.registerFor('gratis')]}>
      <RegisterPage />
    </MemoryRouter>,
  )
  expect(screen.queryByText(/Hai scelto/)).toBeNull()
})
