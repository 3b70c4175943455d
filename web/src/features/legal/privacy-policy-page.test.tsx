import { render, screen, within } from '@testing-library/react'
import { MemoryRouter } from 'react-router'
import { expect, test } from 'vitest'

import PrivacyPolicyPage from '@/features/legal/privacy-policy-page'

const kept = (term: string) => screen.getByText(term).nextElementSibling?.textContent

test('it promises for the provider of a model only what is known of whichever it is', () => {
  render(
    <MemoryRouter>
      <PrivacyPolicyPage />
    </MemoryRouter>,
  )
  const provider = screen.getByText(/fornitore del modello di intelligenza artificiale/)
  expect(provider.textContent).toContain('solo se dici di sì')
  expect(document.body.textContent).not.toContain('addestramento')
})

test('it names who carries push messages, when, and how that ends', () => {
  render(
    <MemoryRouter>
      <PrivacyPolicyPage />
    </MemoryRouter>,
  )
  const services = screen.getByText(/servizio push del tuo browser/)
  expect(services.textContent).toMatch(
    /Google, Mozilla, Microsoft o Apple.*solo se accendi.*cifrato, che non può leggere/,
  )
  expect(within(services).getByRole('link').getAttribute('href')).toBe('/settings/notifications')
})

test('the page says how long errors and notifications are kept', () => {
  render(
    <MemoryRouter>
      <PrivacyPolicyPage />
    </MemoryRouter>,
  )
  // functions/_shared/retention.py
  expect(kept('Registri di errore')).toBe('90 giorni')
  expect(kept('Notifiche')).toMatch(/^12 mesi da quando le leggi/)
})
