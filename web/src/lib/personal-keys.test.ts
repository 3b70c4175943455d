import { expect, test } from 'vitest'

import { signOut } from '@/api/auth'
import { forgetDead } from '@/lib/personal-keys'

import { answerWith, storeSession } from '../../test/network'

const HOUR_MS = 3_600_000
const upload = (hours: number) =>
  JSON.stringify({ creationTime: new Date(Date.now() - hours * HOUR_MS).toISOString(), uploadUrl: '/1' })

function keep(entries: Record<string, string>) {
  for (const [key, value] of Object.entries(entries)) localStorage.setItem(key, value)
  return () => Object.keys(entries).filter((key) => localStorage.getItem(key) !== null)
}

test('a logout leaves no name of a file to the next one', async () => {
  storeSession()
  answerWith(() => ({ status: 204 }))
  const left = keep({
    'tus::user-1|Referto di Elvira.pdf|9|1::1': upload(1),
    'tus::user-12|Altro.pdf|9|1::1': upload(1),
    'socio.chat.draft.user-1.nuova': '{"text":"Ciao"}',
    'socio.conversations_to_delete.user-1': '{"k1":1}',
  })
  await signOut('user-1')
  expect(left()).toEqual(['tus::user-12|Altro.pdf|9|1::1', 'socio.conversations_to_delete.user-1'])
})

test('at the start what is of no use to anybody goes', () => {
  const left = keep({
    'tus::user-1|Vecchio.pdf|9|1::1': upload(25),
    'tus::user-1|Rotto.pdf|9|1::1': 'x',
    'tus::user-2|Nuovo.pdf|9|1::1': upload(1),
    'socio.conversations_to_delete.user-1': '{}',
    'socio.conversations_to_delete.user-2': '{"k1":1}',
    'socio.theme': '{}',
  })
  forgetDead()
  expect(left()).toEqual(['tus::user-2|Nuovo.pdf|9|1::1', 'socio.conversations_to_delete.user-2', 'socio.theme'])
})
