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
