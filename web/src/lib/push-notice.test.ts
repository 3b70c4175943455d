import { expect, test } from 'vitest'

import { noticeOf } from '@/lib/push-notice'

test.each([
  ['one', '{"id":"a1","news":1,"url":"/documents/7?p=2"}', 'Hai una novità in Socio', '/documents/7?p=2', 'a1'],
  ['several', '{"id":"a1","news":12,"url":"/notifications"}', 'Hai 12 novità in Socio', '/notifications', 'a1'],
  ['the bare signal', '', 'Hai una novità in Socio', '/notifications', 'socio'],
  ['no object', 'null', 'Hai una novità in Socio', '/notifications', 'socio'],
  ['another site', '{"id":"a1","news":1,"url":"//evil.example"}', 'Hai una novità in Socio', '/notifications', 'a1'],
  ['a script', '{"id":"a1","news":1,"url":"javascript:alert(1)"}', 'Hai una novità in Socio', '/notifications', 'a1'],
])('a message of %s shows how much is new, and leads inside', (_name, message, title, path, tag) => {
  expect(noticeOf(message)).toMatchObject({ title, options: { data: path, tag } })
})
