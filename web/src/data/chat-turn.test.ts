import { expect, test } from 'vitest'

import { afterEvent, answerOf, type ChatEvent, newTurn, questionOf, readEvent } from '@/data/chat-turn'

const start = {
  run_id: 'run',
  conversation_id: 'talk',
  user_message_id: 'question',
  message_id: 'answer',
  agent: 'automatico',
  mode: 'locale',
  model: null,
  quote: 0,
} as const

const after = (...events: ChatEvent[]) => events.reduce(afterEvent, newTurn(start))
const ref = { n: 1, kind: 'invoice', id: 'i', label: 'Fattura 12', place: null } as const

test('words, steps and sources add up to the answer', () => {
  const turn = after(
    { name: 'agent', data: { agent: 'logico' } },
    { name: 'step', data: { tool: 'list_invoices', text: 'Cerco fra le fatture…' } },
    { name: 'ref', data: ref },
    { name: 'delta', data: { text: 'Scade oggi' } },
    { name: 'delta', data: { text: ' la fattura 12[^1].' } },
    { name: 'ref', data: { ...ref, label: 'Fattura 12/2026' } },
  )
  expect(turn.agent).toBe('logico')
  expect(turn.content).toBe('Scade oggi la fattura 12[^1].')
  expect(turn.refs).toEqual([{ ...ref, label: 'Fattura 12/2026' }])
  expect(turn.steps).toHaveLength(1)
})

test('a stream that begins anew replaces what was heard', () => {
  expect(after({ name: 'delta', data: { text: 'a' } }, { name: 'start', data: start }).content).toBe('')
})

test('of each agent of the council the newest view counts', () => {
  const view = { agent: 'logico', content: '', status: 'streaming' } as const
  const turn = after({ name: 'view', data: view }, { name: 'view', data: { ...view, content: 'Sì', status: 'done' } })
  expect(turn.views).toEqual([{ agent: 'logico', content: 'Sì', status: 'done' }])
})

test('what is unknown or broken is passed over', () => {
  expect(readEvent('novità', '{}')).toBeNull()
  expect(readEvent('delta', '{"text":')).toBeNull()
  expect(readEvent('delta', '{"text":"a"}')).toEqual({ name: 'delta', data: { text: 'a' } })
})

test('question and answer stand in the thread before the server has told their rows', () => {
  const turn = newTurn(start)
  const question = questionOf(turn, { parentId: 'before', content: 'Chi?', attachments: [] })
  expect(question).toMatchObject({ id: 'question', parent_id: 'before', role: 'user', status: 'done', quote: null })
  expect(answerOf(turn, question.id)).toMatchObject({ id: 'answer', parent_id: 'question', status: 'streaming' })
})
