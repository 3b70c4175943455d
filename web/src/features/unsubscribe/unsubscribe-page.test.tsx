import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { MemoryRouter } from 'react-router'
import { expect, test } from 'vitest'

import UnsubscribePage from '@/features/unsubscribe/unsubscribe-page'

import { answerWith } from '../../../test/network'

function open(): void {
  render(
    <MemoryRouter initialEntries={['/disiscrizione?da=io&chiave=aesgcm%3Aabc']}>
      <UnsubscribePage />
    </MemoryRouter>,
  )
}

const press = () => userEvent.click(screen.getByRole('button', { name: 'Disiscrivimi' }))

test.each([
  [200, 'Disiscrizione fatta'],
  [404, 'Questo link non vale'],
])('the answer %i is told by a title that has the focus', async (status, expected) => {
  const calls = answerWith(() => ({ status, body: {} }))
  open()
  expect(calls).toEqual([])
  await press()
  expect(await screen.findByRole('heading', { name: expected })).toBe(document.activeElement)
  expect(calls.map(({ path }) => path)).toEqual(['/functions/v1/mail_unsubscribe?da=io&chiave=aesgcm:abc'])
})

test('a failure is said, and can be tried again', async () => {
  answerWith(() => ({ status: 500, body: {} }))
  open()
  await press()
  expect((await screen.findByRole('alert')).textContent).toContain('Riprova tra poco')
  answerWith(() => ({ status: 200, body: {} }))
  await press()
  expect(await screen.findByRole('heading', { name: 'Disiscrizione fatta' })).toBe(document.activeElement)
})
