import { act } from '@testing-library/react'
import { Suspense } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { renderToString } from 'react-dom/server'
import { MemoryRouter } from 'react-router'
import { expect, test, vi } from 'vitest'

import { Hero } from '@/features/landing/hero'
import { Landing } from '@/features/landing/landing'

const sections = vi.hoisted(() => ({ asked: 0 }))

vi.mock('@/features/landing/sections', () => {
  sections.asked += 1
  throw new Error('Failed to fetch dynamically imported module')
})

test('without the code of the sections their prerendered HTML stays', async () => {
  const container = document.createElement('div')
  document.body.append(container)
  container.innerHTML = renderToString(
    <MemoryRouter>
      <Hero />
      <Suspense>
        <p>Le sezioni</p>
      </Suspense>
    </MemoryRouter>,
  )
  const root = await act(async () =>
    hydrateRoot(
      container,
      <MemoryRouter>
        <Landing />
      </MemoryRouter>,
    ),
  )
  await expect.poll(() => sections.asked).toBe(1)
  await act(() => new Promise((resolve) => setTimeout(resolve, 50)))
  expect(container.textContent).toContain('Le sezioni')
  expect(container.querySelector('h1')).not.toBeNull()
  act(() => root.unmount())
})
