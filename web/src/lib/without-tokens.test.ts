import { expect, test } from 'vitest'

import { withoutTokens } from '@/lib/without-tokens'

test('token parameters lose their value in query and fragment', () => {
  expect(withoutTokens('https://socio.example/auth/confirm?token_hash=abc123&type=signup')).toBe(
    'https://socio.example/auth/confirm?token_hash=[removed]&type=signup',
  )
  expect(withoutTokens('/#access_token=a.b.c&refresh_token=xyz&type=recovery')).toBe(
    '/#access_token=[removed]&refresh_token=[removed]&type=recovery',
  )
  expect(withoutTokens('/?code=123')).toBe('/?code=[removed]')
})

test('a bare token in a message is removed', () => {
  expect(withoutTokens('bad jwt eyJhbGciOi.eyJzdWIiOi.c2lnbmF0dXJl here')).toBe('bad jwt [removed] here')
})

test('email addresses are removed, written plainly or in an address', () => {
  expect(withoutTokens('Anna <anna.rossi+1@studio-bianchi.example.it>, ugo@caffè.it!')).toBe(
    'Anna <[removed]>, [removed]!',
  )
  expect(withoutTokens('/verify?email=anna%40example.it&vista=note')).toBe('/verify?email=[removed]&vista=note')
})

test('what somebody is about to ask is removed', () => {
  expect(withoutTokens('https://socio.example/chat?domanda=Quanto+mi+deve+Anna+Rossi%3F#fine')).toBe(
    'https://socio.example/chat?domanda=[removed]#fine',
  )
})

test('harmless texts stay as they are', () => {
  for (const text of [
    '/crm/42?vista=note',
    'render@https://socio.example/assets/index.js:1:2',
    'render@http://127.0.0.1:54321/node_modules/react@19.2.0/index.js:1:2',
    'at /assets/@react/index.js',
  ])
    expect(withoutTokens(text)).toBe(text)
})
