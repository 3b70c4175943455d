/** Between the password and the second factor: public data comes, under nobody's name. */
import { expect, test, vi } from 'vitest'

import { publicWhileHalfway } from '@/lib/public-while-halfway'

const token = (claims: object) => `h.${btoa(JSON.stringify(claims))}.s`
const halfway = `Bearer ${token({ aal: 'aal1', second_factor: 'missing' })}`

async function sent(address: string, authorization: string): Promise<string | null> {
  const inner = vi.fn<typeof fetch>(() => Promise.resolve(new Response()))
  await publicWhileHalfway(inner, 'sb_publishable_x')(address, { headers: { Authorization: authorization } })
  return new Headers(inner.mock.calls[0]?.[1]?.headers).get('Authorization')
}

test.for([
  ['/rest/v1/packs', halfway, 'Bearer sb_publishable_x'],
  ['/functions/v1/join_waiting_list', halfway, 'Bearer sb_publishable_x'],
  ['/auth/v1/factors', halfway, halfway],
  ['/rest/v1/packs', `Bearer ${token({ aal: 'aal2' })}`, `Bearer ${token({ aal: 'aal2' })}`],
  ['/rest/v1/packs', 'Bearer sb_publishable_x', 'Bearer sb_publishable_x'],
] as const)('%s', async ([path, authorization, expected]) => {
  expect(await sent(`http://localhost${path}`, authorization)).toBe(expected)
})
