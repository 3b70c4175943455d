import { render, screen } from '@testing-library/react'
import { MemoryRouter } from 'react-router'
import { expect, test } from 'vitest'

import CookiePolicyPage from '@/features/legal/cookie-policy-page'
import PrivacyPolicyPage from '@/features/legal/privacy-policy-page'
import TermsOfServicePage from '@/features/legal/terms-of-service-page'
import { legalVersion } from '@/strings/company'
import { longDay } from '@/strings/days'
import { cookieChanges, privacyChanges, termsChanges } from '@/strings/legal-changes'

test.each([
  ['terms', TermsOfServicePage, termsChanges],
  ['privacy', PrivacyPolicyPage, privacyChanges],
  ['cookies', CookiePolicyPage, cookieChanges],
])('the page of %s lists what changed after its version, the newest first', (_, Page, changes) => {
  const days = changes.map(({ day }) => day)
  expect(days).toEqual([...new Set(days)].toSorted().toReversed())
  expect(days.every((day) => day > legalVersion.date)).toBe(true)
  render(
    <MemoryRouter>
      <Page />
    </MemoryRouter>,
  )
  const section = screen.getByRole('heading', { name: /Modifiche a questo testo$/ }).parentElement
  expect(section?.textContent).toContain(`La versione ${legalVersion.number} è del ${legalVersion.day}.`)
  const rows = Array.from(section?.querySelectorAll('dl > div') ?? [], (row) => row.textContent)
  expect(rows).toEqual(changes.map(({ day, text }) => longDay(day) + text))
})

test('the terms say that autonomous actions have a price which nobody pays today', () => {
  render(
    <MemoryRouter>
      <TermsOfServicePage />
    </MemoryRouter>,
  )
  expect(screen.getByText(/azione autonoma è previsto un prezzo/).textContent).toContain(
    'da 5 a 10 crediti circa, che oggi non chiediamo',
  )
  expect(screen.getByText('Pro').nextElementSibling?.textContent).toContain('2.000 crediti')
})
