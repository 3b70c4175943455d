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

test('harmless texts stay as they are', () => {
  expect(withoutTokens('/crm/42?vista=note')).toBe('/crm/42?vista=note')
})
