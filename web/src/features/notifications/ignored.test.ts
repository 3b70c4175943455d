import { expect, test } from 'vitest'

import { ignoredKind } from '@/features/notifications/ignored'

import { notification } from '../../../test/notifications'

const five = (change: object) => Array.from({ length: 5 }, (_, at) => notification(`n${at}`, change))
const reminders = five({ kind: 'promemoria', category: 'attivita' })

test('five unread of a kind are too many, four or one that was read are not', () => {
  expect(ignoredKind(reminders, [])).toBe('promemoria')
  expect(ignoredKind(reminders.slice(1), [])).toBeNull()
  expect(
    ignoredKind(reminders.with(2, notification('n2', { kind: 'promemoria', category: 'attivita', is_read: true })), []),
  ).toBeNull()
})

test('what is silenced already, or cannot be, is not asked about', () => {
  expect(ignoredKind(reminders, ['promemoria'])).toBeNull()
  expect(ignoredKind(five({ kind: 'avviso', category: 'sistema' }), [])).toBeNull()
})
