import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { storeConsent } from '@/lib/consent'

import { expectConsole } from '../../test/console'
import { answerWith, type Call, storeSession } from '../../test/network'

const HASH = '0123456789abcdef'

const answers = ({ path }: Call) => (path === '/functions/v1/ip_hash' ? { body: { ip_hash: HASH } } : { status: 201 })

/** The module as a freshly opened page has it. */
const openPage = async () => (await import('@/data/analytics')).track

beforeEach(() => {
  vi.resetModules()
  sessionStorage.clear()
})

afterEach(() => {
  sessionStorage.clear()
})

test.each([undefined, 'rejected'] as const)('with the answer %s nothing is sent and nothing stored', async (answer) => {
  const calls = answerWith(answers)
  if (answer) storeConsent(answer)
  const track = await openPage()
  track('page_view', { page: 'landing' })
  await Promise.resolve()
  expect(calls).toEqual([])
  expect(sessionStorage).toHaveLength(0)
})

test('an agreed visitor leaves one row of nobody, in the columns of the spec', async () => {
  const calls = answerWith(answers)
  storeConsent('accepted')
  const track = await openPage()
  track('page_view', { page: 'landing' })
  await vi.waitFor(() => expect(calls).toHaveLength(2))
  expect(calls[0]).toMatchObject({ method: 'POST', path: '/functions/v1/ip_hash' })
  expect(calls[1]).toEqual({
    method: 'POST',
    path: '/rest/v1/analytics_events',
    body: {
      event_name: 'page_view',
      user_id: null,
      session_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      properties: { page: 'landing' },
      referrer: null,
      user_agent: navigator.userAgent,
      ip_hash: HASH,
    },
  })
})

test('the address is asked once in a session, also across pages', async () => {
  const calls = answerWith(answers)
  storeConsent('accepted')
  const track = await openPage()
  track('page_view', { page: 'landing' })
  track('plan_click', { plan: 'pro' })
  await vi.waitFor(() => expect(calls).toHaveLength(3))
  vi.resetModules()
  const trackThere = await openPage()
  trackThere('final_cta_click', { location: 'final' })
  await vi.waitFor(() => expect(calls).toHaveLength(4))
  expect(calls.filter(({ path }) => path.endsWith('ip_hash'))).toHaveLength(1)
  const sessions = calls.flatMap(({ body }) => (body as { session_id?: string }).session_id ?? [])
  expect(new Set(sessions).size).toBe(1)
})

test('somebody signed in writes as themselves', async () => {
  storeSession('user-1')
  storeConsent('accepted')
  const calls = answerWith(answers)
  const track = await openPage()
  track('dashboard_viewed')
  await vi.waitFor(() => expect(calls).toHaveLength(2))
  expect(calls[1]?.body).toMatchObject({ event_name: 'dashboard_viewed', user_id: 'user-1', properties: null })
})

test('an address that cannot be had is unknown, and asked again on the next page', async () => {
  storeConsent('accepted')
  const calls = answerWith(({ path }) => (path === '/functions/v1/ip_hash' ? { status: 500 } : { status: 201 }))
  const track = await openPage()
  track('dashboard_viewed')
  await vi.waitFor(() => expect(calls).toHaveLength(2))
  expect(calls[1]?.body).toMatchObject({ ip_hash: 'unknown' })
  expect(sessionStorage.getItem('ip_hash')).toBeNull()
})

test('who takes the consent back while the address is asked is not written down', async () => {
  storeConsent('accepted')
  const calls = answerWith((call) => {
    storeConsent('rejected')
    return answers(call)
  })
  const track = await openPage()
  track('dashboard_viewed')
  await vi.waitFor(() => expect(calls).toHaveLength(1))
  await new Promise((resolve) => setTimeout(resolve))
  expect(calls).toHaveLength(1)
  expect(sessionStorage.getItem('ip_hash')).toBeNull()
})

test('who takes the consent back later leaves no trace of the address', async () => {
  storeConsent('accepted')
  const calls = answerWith(answers)
  const track = await openPage()
  track('dashboard_viewed')
  await vi.waitFor(() => expect(calls).toHaveLength(2))
  storeConsent('rejected')
  track('dashboard_viewed')
  expect(sessionStorage.getItem('ip_hash')).toBeNull()
  expect(calls).toHaveLength(2)
})

test('a refused event is logged and harms nobody', async () => {
  storeConsent('accepted')
  answerWith(({ path }) => (path === '/functions/v1/ip_hash' ? { body: { ip_hash: HASH } } : { status: 429 }))
  const track = await openPage()
  await expectConsole('warn', async () => {
    track('dashboard_viewed')
    await vi.waitFor(() => expect(console.warn).toHaveBeenCalledWith('Analytics tracking error', expect.any(Error)))
  })
})
