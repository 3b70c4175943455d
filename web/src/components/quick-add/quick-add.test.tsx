import type { User } from '@supabase/supabase-js'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { fireEvent, render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'

import { Toaster } from '@/components/ui/sonner'
import { AuthContext, guest } from '@/data/auth-context'
import type { Project } from '@/data/projects'
import { QuickAdd } from '@/components/quick-add/quick-add'

import { answerWith, type Call, makeSession, storeSession } from '../../../test/network'

type Row = { id: string; title: string; parent_id?: string; position: string }

/** The line, on a server that loses its answers to the requests with these numbers; `sent` answers the rows of each. */
function showLine(...lost: number[]) {
  storeSession()
  const posts = () => calls.filter(({ method, path }: Call) => method === 'POST' && !path.includes('/rpc/'))
  const calls = answerWith(({ path }) => {
    if (path.includes('/rpc/')) return { body: [] }
    if (lost.includes(posts().length)) throw new TypeError('Failed to fetch')
    return { status: 201 }
  })
  render(
    <QueryClientProvider client={new QueryClient()}>
      <QuickAdd userId="user-1" projects={[]} defaults={{}} firstPosition="a0" />
      <Toaster />
    </QueryClientProvider>,
  )

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
    if (init?.body?.toString().includes('"title"')) asked.push(new Headers(init?.headers).get('prefer'))
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

const people = [
  { id: 'c1', name: 'Studio Conti S.r.l.' },
  { id: 'c2', name: 'Studio Bianchi' },
  { id: 'c3', name: 'Luca Contini' },
]

/** The line of a person with contacts and one project; the answer is the task that Enter sends once `words` are asked about. */
async function taskOf(text: string, words: string) {
  storeSession()
  const calls = answerWith(({ path, body }) => {
    if (path.includes('search_contacts')) {
      const { _query: wanted } = body as { _query: string }
      return { body: people.filter(({ name }) => name.toLowerCase().includes(wanted.toLowerCase())) }
    }
    if (path.includes('contact_named_in')) return { body: [] }
    return { status: 201, body: path.includes('/projects') ? { id: 'new' } : null }
  })
  const project = { id: 'p1', name: 'Sito Rossi', status: 'attivo' } as Project
  render(
    <QueryClientProvider client={new QueryClient()}>
      <AuthContext value={{ ...guest, user: makeSession().user as User }}>
        <QuickAdd userId="user-1" projects={[project]} defaults={{}} firstPosition="a0" />
      </AuthContext>
    </QueryClientProvider>,
  )
  const field = screen.getByRole('textbox')
  write(field, text)
  await screen.findByRole('group', { name: new RegExp(`«${words}»`) })
  enter(field)
  await expect.poll(() => field).toHaveProperty('value', '')
  const rows = calls.findLast(({ path }) => path.includes('/tasks'))?.body as Record<string, unknown>[] | undefined
  const task = rows?.[0]
  const made = calls.filter(({ path }) => path.includes('/projects')).map(({ body }) => body)
  return { title: task?.title, contact: task?.contact_id, project: task?.project_id, made }
}

test.each([
  ['sentire @Studio Conti', 'Studio Conti', { title: 'sentire Studio Conti S.r.l.', contact: 'c1' }],
  ['sentire @Conti per il logo', 'Conti', { title: 'sentire Studio Conti S.r.l. per il logo', contact: 'c1' }],
  ['sentire @Conti domani', 'Conti', { title: 'sentire Studio Conti S.r.l.', contact: 'c1' }],
  ['sentire @Conti Verdi', 'Conti', { title: 'sentire Conti Verdi', contact: undefined }],
  ['sentire @conti verdi', 'conti', { title: 'sentire conti verdi', contact: undefined }],
  ['sentire @Contin', 'Contin', { title: 'sentire Contin', contact: undefined }],
  ['sentire @Studio', 'Studio', { title: 'sentire Studio', contact: undefined }],
  ['sentire @Neri', 'Neri', { title: 'sentire Neri', contact: undefined }],
  ['logo #sito', 'sito', { title: 'logo', project: 'p1', made: [] }],
  ['logo #nuovo', 'nuovo', { title: 'logo', project: 'new', made: [{ name: 'nuovo' }] }],
  ['#nuovo', 'nuovo', { title: '#nuovo', project: undefined, made: [] }],
])('Enter takes the only candidate and creates a missing project: %s', async (text, words, expected) => {
  expect(await taskOf(text, words)).toMatchObject(expected)
})

/** The line of a person whose contact Mario Rossi each title with «Rossi» names; answers the contact of the task that is sent. */
async function linkedBy(text: string, refuses: boolean) {
  storeSession()
  const calls = answerWith(({ path, body }) => {
    if (!path.includes('contact_named_in')) return { status: 201 }
    const { _text: title } = body as { _text: string }
    return { body: title.includes('Rossi') ? [{ id: 'c9', name: 'Mario Rossi' }] : [] }
  })
  render(
    <QueryClientProvider client={new QueryClient()}>
      <AuthContext value={{ ...guest, user: makeSession().user as User }}>
        <QuickAdd userId="user-1" projects={[]} defaults={{}} firstPosition="a0" />
      </AuthContext>
    </QueryClientProvider>,
  )
  const field = screen.getByRole('textbox')
  write(field, text)
  if (refuses) fireEvent.click(await screen.findByRole('button', { name: /Mario Rossi.*non collegare/ }))
  enter(field)
  await expect.poll(() => field).toHaveProperty('value', '')
  const rows = calls.findLast(({ path }) => path.includes('/tasks'))?.body as Record<string, unknown>[] | undefined
  const task = rows?.[0]
  return { title: task?.title, contact: task?.contact_id }
}

test('a title that names one contact links the task', async () => {
  expect(await linkedBy('Richiamare Mario Rossi domani', false)).toEqual({
    title: 'Richiamare Mario Rossi',
    contact: 'c9',
  })
})

test('the contact that a title names is taken away with its chip', async () => {
  expect(await linkedBy('Richiamare Mario Rossi domani', true)).toEqual({
    title: 'Richiamare Mario Rossi',
    contact: undefined,
  })
})
