import { expect, test } from 'vitest'

import type { Message } from '@/data/chat'
import { choicesTo, pathOf, withoutChoice } from '@/features/chat/thread/branches'

const message = (id: string, parent: string | null) => ({ id, parent_id: parent }) as Message

// A question with two answers; the first of them goes on; and the question itself was edited.
const messages = [
  message('q1', null),
  message('a1', 'q1'),
  message('q2', 'a1'),
  message('a2', 'q2'),
  message('a1b', 'q1'),
  message('q1b', null),
  message('a3', 'q1b'),
]
const ids = (choices = {}) => pathOf(messages, choices).map(({ message: { id } }) => id)

test('without a choice the newest branch is shown, with its versions', () => {
  expect(ids()).toEqual(['q1b', 'a3'])
  expect(pathOf(messages, {})[0]?.versions).toEqual(['q1', 'q1b'])
})

test('choosing a version shows what followed it', () => {
  expect(ids(choicesTo(messages, 'q1', {}))).toEqual(['q1', 'a1b'])
  expect(ids(choicesTo(messages, 'a1', {}))).toEqual(['q1', 'a1', 'q2', 'a2'])
})

test('a message deep in another branch is led to', () => {
  expect(ids(choicesTo(messages, 'a2', {}))).toEqual(['q1', 'a1', 'q2', 'a2'])
})

test('a new branch is seen although another was chosen', () => {
  const choices = choicesTo(messages, 'a1', {})
  expect(ids(withoutChoice(choices, 'q1'))).toEqual(['q1', 'a1b'])
})

test('whose parent was not read stands at the beginning, and a circle ends', () => {
  expect(pathOf([message('a', 'unread'), message('b', 'a')], {}).map(({ message: { id } }) => id)).toEqual(['a', 'b'])
  expect(pathOf([message('x', 'y'), message('y', 'x')], {})).toEqual([])
})
