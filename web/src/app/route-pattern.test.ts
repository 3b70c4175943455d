import { expect, test } from 'vitest'

import { routePattern } from '@/app/route-pattern'

test.each([
  ['/crm/7f0b8a52-6a57-4a1c-9c37-0d2f1d2f4a11', '/crm/:contactId'],
  ['/documents/fatture', '/documents/fatture'],
  ['/settings/credits/orders/42', '/settings/credits/orders/:orderId'],
  ['/mario.rossi@example.com', '*'],
])('of %s the statistics know %s', (address, pattern) => {
  expect(routePattern(address)).toBe(pattern)
})
