import { render, screen } from '@testing-library/react'
import { MemoryRouter } from 'react-router'
import { expect, test } from 'vitest'

import CookiePolicyPage from '@/features/legal/cookie-policy-page'

const sources = import.meta.glob<string>(['/src/**/*.{ts,tsx}', '!/src/**/*.test.*'], {
  query: '?raw',
  import: 'default',
  eager: true,
})

/** The keys that a file of ours gives to the storage of the browser: constants, and the beginnings of those with a tail. */
const keysIn = (source: string): string[] =>
  /\b(?:local|session|localStorage)\.(?:setItem|removeItem|getItem)\(/.test(source)
    ? [...source.matchAll(/KEY = '([^']+)'|`((?:socio\.|tus::)[\w.]*)/g)].map(
        ([, name, prefix]) => name ?? prefix ?? '',
      )
    : []

function show(): void {
  render(
    <MemoryRouter>
      <CookiePolicyPage />
    </MemoryRouter>,
  )
}

const sectionOf = (text: RegExp) => screen.getByText(text).closest('section')?.id

test('the countdown is not said to be needed for entering or for a choice', () => {
  show()
  expect(sectionOf(/^Servono per entrare/)).toBe('necessari')
  expect(sectionOf(/early_bird_ends_at/)).toBe('conto-alla-rovescia')
})

test('every entry of the storage is on the page', () => {
  const keys = Object.values(sources).flatMap(keysIn)
  expect(keys).toEqual(expect.arrayContaining(['theme', 'ip_hash', 'socio.chat.draft.', 'tus::']))
  show()
  const page = document.body.textContent
  expect(keys.filter((key) => !page.includes(key.replace(/\.$/, '')))).toEqual([])
})
