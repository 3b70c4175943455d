import { expect, test } from 'vitest'

import { deviceName, isHandheld, pushServiceName } from '@/strings/devices'

const chrome = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0'

test.each([
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${chrome} Safari/537.36`, 'Chrome su Windows'],
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${chrome} Safari/537.36 Edg/142.0.0.0`, 'Edge su Windows'],
  [`Mozilla/5.0 (Linux; Android 15; Pixel 9) ${chrome} Mobile Safari/537.36`, 'Chrome su Android'],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox su Linux'],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Mobile/15E148 Safari/604.1',
    'Safari su iPhone',
  ],
  ['curl/8.9.1', 'Dispositivo sconosciuto'],
  [null, 'Dispositivo sconosciuto'],
])('%s is «%s»', (userAgent, name) => {
  expect(deviceName(userAgent)).toBe(name)
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
