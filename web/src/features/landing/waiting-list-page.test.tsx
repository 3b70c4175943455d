import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { MemoryRouter } from 'react-router'
import { expect, test, vi } from 'vitest'

import WaitingListPage from '@/features/landing/waiting-list-page'

import { answerWith } from '../../../test/network'

function open(search = '?token=abc'): void {
  render(
    <MemoryRouter initialEntries={[`/lista-attesa${search}`]}>
      <WaitingListPage />
    </MemoryRouter>,
  )
}

const press = (name: string) => userEvent.click(screen.getByRole('button', { name }))
const title = () => screen.getByRole('heading', { level: 1 })

test.each([
  ['Conferma l’indirizzo', { status: 200 }, 'Sei nella lista d’attesa'],
  ['Toglimi dalla lista', { status: 200 }, 'Non sei più nella lista'],
  ['Conferma l’indirizzo', { status: 410, body: { code: 'link_expired', message: 'x' } }, 'Questo link non vale più'],
])('«%s» is answered by a title that has the focus', async (button, answer, expected) => {
  answerWith(() => answer)
  open()
  expect(document.activeElement).toBe(document.body)
  await press(button)
  expect(await screen.findByRole('heading', { name: expected })).toBe(document.activeElement)
})

test('a link without its token says so and leaves the focus alone', () => {
  open('')
  expect(title().textContent).toBe('Questo link non vale più')
  expect(document.activeElement).toBe(document.body)
})

test.each([
  ['no JSON', '<html>Forbidden</html>'],
  ['JSON of somebody else', '{"error":"forbidden"}'],
  ['nothing', 'null'],
])('a refusal with %s is said, and can be tried again', async (_, body) => {
  vi.stubGlobal('fetch', async () => new Response(body, { status: 403 }))
  open()
  await press('Conferma l’indirizzo')
  expect((await screen.findByRole('alert')).textContent).toBe('Qualcosa non ha funzionato da noi. Riprova tra poco.')
  expect(document.activeElement).toBe(title())
  answerWith(() => ({ status: 200 }))
  await press('Conferma l’indirizzo')
  expect(await screen.findByRole('heading', { name: 'Sei nella lista d’attesa' })).toBe(document.activeElement)
})
