import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { fireEvent, render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'

import { Toaster } from '@/components/ui/sonner'
import { QuickAdd } from '@/features/tasks/quick-add'

import { answerWith, type Call, storeSession } from '../../../test/network'

type Row = { id: string; title: string; parent_id?: string; position: string }

/** The line, on a server that loses its answers to the requests with these numbers; `sent` answers the rows of each. */
function showLine(...lost: number[]) {
  storeSession()
  const calls = answerWith(() => {
    if (lost.includes(calls.length)) throw new TypeError('Failed to fetch')
    return { status: 201 }
  })
  render(
    <QueryClientProvider client={new QueryClient()}>
      <QuickAdd userId="user-1" projects={[]} defaults={{}} firstPosition="a0" />
      <Toaster />
    </QueryClientProvider>,
  )
  const posts = () => calls.filter(({ method }: Call) => method === 'POST')
  return { posts, sent: () => posts().map(({ body }) => body as Row[]), field: screen.getByRole('textbox') }
}

const write = (field: HTMLElement, value: string) => fireEvent.change(field, { target: { value } })
const enter = (field: HTMLElement) => fireEvent.keyDown(field, { key: 'Enter' })
const paste = (field: HTMLElement, text: string) => fireEvent.paste(field, { clipboardData: { getData: () => text } })

test('a task that is sent again because its answer was lost is the same one', async () => {
  const { sent, field } = showLine(1)
  write(field, 'Chiamare Rossi')
  enter(field)
  expect(await screen.findByText(/Non c’è collegamento/)).toBeTruthy()
  enter(field)
  await expect.poll(() => sent().length).toBe(2)
  await expect.poll(() => field).toHaveProperty('value', '')
  write(field, 'Chiamare Rossi')
  enter(field)
  await expect.poll(() => sent().length).toBe(3)
  const [first, second, third] = sent().map((rows) => rows[0]?.id)
  expect(first).toBe(second)
  expect(third).not.toBe(first)
})

test('what is there already is passed over by the server', async () => {
  const { posts, field } = showLine()
  const asked: (string | null)[] = []
  const answer = window.fetch
  window.fetch = (input, init) => {
    asked.push(new Headers(init?.headers).get('prefer'))
    return answer(input, init)
  }
  write(field, 'Chiamare Rossi')
  enter(field)
  await expect.poll(() => posts().length).toBe(1)
  expect(asked[0]).toContain('resolution=ignore-duplicates')
})

test('what is written while an addition is under way stays', async () => {
  const { sent, field } = showLine()
  write(field, 'Prima attività')
  enter(field)
  write(field, 'Seconda attività')
  expect(await screen.findByText('Attività aggiunta')).toBeTruthy()
  expect(sent().length).toBe(1)
  expect(field).toHaveProperty('value', 'Seconda attività')
})

test('pasted steps that are sent again are the same ones, below the same task', async () => {
  const { sent, field } = showLine(2)
  paste(field, 'Trasloco\nScatole\nFurgone')
  fireEvent.click(screen.getByRole('button', { name: /con 2 sotto-attività/ }))
  expect(await screen.findByText(/Non c’è collegamento/)).toBeTruthy()
  fireEvent.click(screen.getByRole('button', { name: /con 2 sotto-attività/ }))
  await expect.poll(() => sent().length).toBe(4)
  const [task, steps, ...again] = sent()
  expect(again).toEqual([task, steps])
  expect(steps?.map(({ title, parent_id: parent }) => [title, parent])).toEqual([
    ['Scatole', task?.[0]?.id],
    ['Furgone', task?.[0]?.id],
  ])
})

test('of a long list it is said what stays out', () => {
  const { field } = showLine()
  paste(field, Array.from({ length: 150 }, (_, index) => `Riga ${index + 1}`).join('\n'))
  expect(
    screen.getByText(/Hai incollato 150 righe.*Aggiungiamo le prime 100 righe: altre 50 restano fuori\./),
  ).toBeTruthy()
  expect(screen.getByRole('button', { name: '100 attività separate' })).toBeTruthy()
})
