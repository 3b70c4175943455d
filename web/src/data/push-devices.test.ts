import { afterEach, expect, test, vi } from 'vitest'

import { keepPush, leavePush } from '@/data/push-devices'
import { wishDevice, wishedDevice } from '@/lib/push'

import { answerWith, type Call, storeSession } from '../../test/network'

const KEY = 'BPv_AA'
const bytesOf = (key: string) =>
  Uint8Array.from(atob(key.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0)).buffer

afterEach(() => void Reflect.deleteProperty(navigator, 'serviceWorker'))

/** A browser whose subscription is for `key`, and a server that stores `rows`; returns what happened. */
function browserWith(key: string | null, rows: string[]) {
  const unsubscribe = vi.fn<() => Promise<boolean>>(() => Promise.resolve(true))
  const made = (of: string) => ({
    options: { applicationServerKey: bytesOf(of) },
    unsubscribe,
    toJSON: () => ({ endpoint: 'https://push.example/1', keys: {} }),
  })
  const subscribe = vi.fn<() => Promise<object>>(() => Promise.resolve(made(KEY)))
  const pushManager = { getSubscription: () => Promise.resolve(key && made(key)), subscribe }
  const registration = { pushManager }
  vi.stubGlobal('PushManager', Object)
  vi.stubGlobal('Notification', { permission: 'granted' })
  Object.defineProperty(navigator, 'serviceWorker', {
    configurable: true,
    value: {
      getRegistration: () => Promise.resolve(registration),
      register: () => Promise.resolve(registration),
      ready: Promise.resolve(registration),
    },
  })
  storeSession()
  const calls = answerWith(({ method, path }: Call) => {
    if (path.startsWith('/functions/v1/push_devices')) return { body: method === 'GET' ? { key: KEY } : { id: 'new' } }
    return method === 'DELETE' ? { status: 204 } : { body: rows.map((id) => ({ id })) }
  })
  const sent = () =>
    calls.filter(({ method }) => method !== 'GET').map(({ method, path }) => `${method} ${path.split('/v1/')[1]}`)
  return { unsubscribe, subscribe, sent }
}

test('what nobody here wants any more is ended', async () => {
  const { unsubscribe, sent } = browserWith(KEY, [])
  await keepPush('user-1')
  expect(unsubscribe).toHaveBeenCalledOnce()
  expect(sent()).toEqual([])
})

test('what is as it should be is left alone', async () => {
  const { unsubscribe, subscribe, sent } = browserWith(KEY, ['mine'])
  wishDevice('user-1', 'mine')
  await keepPush('user-1')
  expect([unsubscribe.mock.calls, subscribe.mock.calls, sent()]).toEqual([[], [], []])
})

test.each([
  ['the browser has lost it', null, ['mine']],
  ['the push service has lost it', null, []],
  ['the server has another key', 'BPv_AQ', ['mine']],
])('a subscription is made anew when %s', async (_name, key, rows) => {
  const { subscribe, sent } = browserWith(key, rows)
  wishDevice('user-1', 'mine')
  await keepPush('user-1')
  expect(subscribe).toHaveBeenCalledWith({ userVisibleOnly: true, applicationServerKey: KEY })
  expect(sent()).toEqual(['DELETE push_subscriptions?id=eq.mine', 'POST push_devices'])
  expect(wishedDevice('user-1')).toBe('new')
})

test('a device that was removed elsewhere stays off', async () => {
  const { unsubscribe, subscribe } = browserWith(KEY, ['other'])
  wishDevice('user-1', 'mine')
  await keepPush('user-1')
  expect(unsubscribe).toHaveBeenCalledOnce()
  expect(subscribe).not.toHaveBeenCalled()
  expect(wishedDevice('user-1')).toBeNull()
})

test('a logout ends it here and at the server', async () => {
  const { unsubscribe, sent } = browserWith(KEY, ['mine'])
  wishDevice('user-1', 'mine')
  await leavePush('user-1')
  expect(unsubscribe).toHaveBeenCalledOnce()
  expect(sent()).toEqual(['DELETE push_subscriptions?id=eq.mine'])
})
