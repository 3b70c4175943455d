import { beforeEach, expect, test } from 'vitest'

import { signIn, signOut } from '@/api/auth'
import { changeDraft, giveBack, letGo, takeDraft } from '@/features/chat/composer/drafts'
import { draftKey } from '@/lib/chat-drafts'

import { answerWith, makeSession } from '../../../../test/network'

let at = ''
const stored = () => (JSON.parse(localStorage.getItem(at) ?? 'null') as { text: string } | null)?.text ?? null
const type = (text: string) => changeDraft(at, () => ({ text }))

beforeEach(() => {
  at = draftKey(crypto.randomUUID(), null)
})

test('what was typed stays in the browser until the answer begins', () => {
  type('Chi devo richiamare?')
  expect(stored()).toBe('Chi devo richiamare?')
  expect(takeDraft(at).text).toBe('Chi devo richiamare?')
  expect(stored()).toBe('Chi devo richiamare?')
  letGo(at)
  expect(stored()).toBeNull()
})

test('what was refused comes back before what was typed meanwhile', () => {
  type('Prima')
  takeDraft(at)
  type('Seconda')
  giveBack(at)
  expect(takeDraft(at).text).toBe('Prima\nSeconda')
})

test('a question of which nobody knows whether it was heard is asked again under its key', () => {
  type('Quanto ho in trattativa?')
  const { clientKey } = takeDraft(at)
  giveBack(at)
  expect(takeDraft(at).clientKey).toBe(clientKey)
  giveBack(at)
  type('Quanto ho vinto?')
  expect(takeDraft(at).clientKey).not.toBe(clientKey)
})

test('a logout takes it out of the browser and out of memory', async () => {
  answerWith(({ path }) => (path.includes('/token') ? { body: makeSession() } : { status: 204 }))
  await signIn({ email: 'giulia@socio.example', password: 'Password-1' })
  at = draftKey('user-1', 'c-1')
  type('Scrivi al cliente Rossi')
  await signOut('user-1')
  expect(stored()).toBeNull()
  expect(takeDraft(at).text).toBe('')
})
