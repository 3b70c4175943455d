import type { Metric } from 'web-vitals'

import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { storeConsent } from '@/lib/consent'

import { answerWith } from '../../test/network'

let keep: Record<string, (metric: Pick<Metric, 'name' | 'value'>) => void> = {}

const as = (name: string) => (report: (typeof keep)[string]) => {
  keep[name] = report
}

vi.mock('web-vitals', () => ({ onLCP: as('LCP'), onINP: as('INP'), onCLS: as('CLS'), onTTFB: as('TTFB') }))

beforeEach(() => {
  vi.resetModules()
  keep = {}
  sessionStorage.clear()
  // What waits for the page to rest need not wait here.
  const wait = setTimeout
  vi.stubGlobal('setTimeout', (run: () => void, ms = 0) => wait(run, ms === 2_000 ? 0 : ms))
})

afterEach(() => {
  sessionStorage.clear()
  vi.unstubAllGlobals()
})

const measure = async (route: string) => (await import('@/data/vitals')).measureVitals(route)

/** What the browser tells a page that is left. */
function hide(): void {
  vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden')
  document.dispatchEvent(new Event('visibilitychange'))
}

function see(): void {
  keep.LCP?.({ name: 'LCP', value: 1234.56 })
  keep.CLS?.({ name: 'CLS', value: 0.01234 })
}

test('a page view of somebody who agreed is one event of nobody, with the pattern of its route', async () => {
  const calls = answerWith(() => ({ status: 201 }))
  storeConsent('accepted')
  await measure('/crm/:contactId')
  await vi.waitFor(() => expect(Object.keys(keep)).toEqual(['LCP', 'INP', 'CLS', 'TTFB']))
  see()
  expect(calls).toEqual([])
  hide()
  hide()
  expect(calls).toEqual([
    {
      method: 'POST',
      path: '/rest/v1/analytics_events',
      body: {
        event_name: 'web_vitals',
        user_id: null,
        session_id: expect.stringMatching(/^[0-9a-f]{32}$/),
        properties: {
          page: '/crm/:contactId',
          device: 'computer',
          viewport: 'large',
          push: false,
          speech: false,
          opfs: false,
          lcp: 1235,
          cls: 0.012,
        },
        user_agent: navigator.userAgent,
      },
    },
  ])
})

test.each([undefined, 'rejected'] as const)('with the answer %s not even the library is loaded', async (answer) => {
  const calls = answerWith(() => ({ status: 201 }))
  if (answer) storeConsent(answer)
  await measure('/')
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(keep).toEqual({})
  hide()
  expect(calls).toEqual([])
  expect(sessionStorage).toHaveLength(0)
})

test('who takes the consent back before leaving is not written down', async () => {
  const calls = answerWith(() => ({ status: 201 }))
  storeConsent('accepted')
  await measure('/')
  await vi.waitFor(() => expect(keep.LCP).toBeDefined())
  see()
  storeConsent('rejected')
  hide()
  expect(calls).toEqual([])
  expect(sessionStorage).toHaveLength(0)
})
