import { expect, test } from 'vitest'

import devices from '../../../tests/vectors/devices.json'

import { deviceName, isHandheld, pushServiceName } from '@/strings/devices'

test.each(devices)('$user_agent is «$name»', ({ user_agent, name }) => {
  expect(deviceName(user_agent)).toBe(name)
})

test('phones are told from desks', () => {
  expect(isHandheld('Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X)')).toBe(true)
  expect(isHandheld('Mozilla/5.0 (Windows NT 10.0; Win64; x64)')).toBe(false)
})

test.each([
  ['https://fcm.googleapis.com/fcm/send/abc', 'Chrome'],
  ['https://jmt17.google.com/fcm/send/abc', 'Chrome'],
  ['https://updates.push.services.mozilla.com/wpush/v2/abc', 'Firefox'],
  ['https://web.push.apple.com/abc', 'Safari'],
  ['https://wns2-par02p.notify.windows.com/w/?token=abc', 'Edge'],
  ['https://push.example/abc', 'Browser'],
])('%s is the push service of %s', (endpoint, name) => {
  expect(pushServiceName(endpoint)).toBe(name)
})
