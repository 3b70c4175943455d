import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useRef } from 'react'
import { MemoryRouter, useLocation } from 'react-router'
import { expect, test } from 'vitest'

import { Toaster } from '@/components/ui/sonner'
import type { Notification } from '@/data/notifications'
import { NotificationList } from '@/features/notifications/notification-list'

import { answerWith } from '../../../test/network'
import { notification } from '../../../test/notifications'

function Here() {
  const { pathname } = useLocation()
  return <p>at {pathname}</p>
}

function Sample({ rows }: { rows: Notification[] }) {
  const heading = useRef<HTMLHeadingElement>(null)
  return (
    <>
      <h1 ref={heading} tabIndex={-1}>
        Notifiche
      </h1>
      <NotificationList rows={rows} heading={heading} />
      <Toaster />
    </>
  )
}

function start(rows: Notification[]) {
  const calls = answerWith(() => ({ status: 204 }))
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MemoryRouter initialEntries={['/notifications']}>
        <Sample rows={rows} />
        <Here />
      </MemoryRouter>
    </QueryClientProvider>,
  )
  return { user: userEvent.setup(), calls }
}

test('j and k move, Canc deletes', async () => {
  const { user, calls } = start([notification('a'), notification('b')])
  await user.keyboard('jj')
  expect(document.activeElement?.textContent).toContain('Titolo b')
  await user.keyboard('k')
  expect(document.activeElement?.textContent).toContain('Titolo a')
  await user.keyboard('{Delete}')
  expect(calls.map(({ method, path }) => `${method} ${path}`)).toEqual(['DELETE /rest/v1/notifications?id=in.(a)'])
})

test.each([
  ['the next row', ['a', 'b', 'c'], 'jj', 'Titolo c'],
  ['the row before it, of the last one', ['a', 'b'], 'jj', 'Titolo a'],
  ['the heading, of the only one', ['b'], 'j', 'Notifiche'],
])('after Canc the focus is on %s, and the deletion is told', async (_where, ids, way, next) => {
  const { user } = start(ids.map((id) => notification(id)))
  await user.keyboard(`${way}{Delete}`)
  expect(document.activeElement?.textContent).toContain(next)
  expect(await screen.findByText('Notifica eliminata')).toBeDefined()
})

test('opening an unread one marks it read and follows its path', async () => {
  const { user, calls } = start([notification('a', { action_url: '/crm' })])
  await user.click(screen.getByRole('button', { name: /^Informazione/ }))
  expect(screen.getByText('at /crm')).toBeDefined()
  expect(calls[0]).toEqual({
    method: 'PATCH',
    path: '/rest/v1/notifications?id=in.(a)',
    body: { is_read: true, read_at: expect.stringMatching(/^\d{4}-.*Z$/) },
  })
})

test('a read one with a foreign address goes nowhere and asks nothing', async () => {
  const { user, calls } = start([notification('a', { is_read: true, action_url: '//truffa.example' })])
  await user.click(screen.getByRole('button', { name: /^Informazione/ }))
  expect(screen.getByText('at /notifications')).toBeDefined()
  expect(calls).toEqual([])
})
