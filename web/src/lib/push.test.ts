import { expect, test, vi } from 'vitest'

import { isFor, pushSupport } from '@/lib/push'

const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 Version/19.0 Mobile Safari/604.1'
const MAC = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/19.0 Safari/605.1.15'

test.each([
  ['an iPhone outside the home screen', IPHONE, 5, 'needs_home_screen'],
  ['an iPad, which calls itself a Mac', MAC, 5, 'needs_home_screen'],
  ['an old Mac', MAC, 0, 'unsupported'],
])('%s cannot be notified, and says why', (_name, userAgent, maxTouchPoints, support) => {
  vi.stubGlobal('navigator', { userAgent, maxTouchPoints })
  expect(pushSupport()).toBe(support)
})

test('a subscription is for the key that it was made with', () => {
  const subscription = { options: { applicationServerKey: Uint8Array.from([4, 251, 255, 0]).buffer } }
  expect(isFor(subscription as PushSubscription, 'BPv_AA')).toBe(true)
  expect(isFor(subscription as PushSubscription, 'BPv_AQ')).toBe(false)
})
