import { expect, test } from 'vitest'

import { readRule, writeRule } from '@/features/tasks/rule'

test.each([
  'FREQ=DAILY',
  'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR',
  'FREQ=MONTHLY;BYMONTHDAY=-1',
  'FREQ=MONTHLY;BYDAY=1MO;COUNT=6',
  'FREQ=MONTHLY;BYMONTHDAY=1,15',
  'FREQ=YEARLY;UNTIL=20281231',
])('%s survives the editor', (rule) => {
  expect(writeRule(readRule(rule))).toBe(rule)
})

test('another frequency drops what no longer means anything', () => {
  expect(writeRule({ ...readRule('FREQ=WEEKLY;BYDAY=MO'), frequency: 'DAILY' })).toBe('FREQ=DAILY')
})
