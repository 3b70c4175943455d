/** Measures the vitals of this page view and sends them as one event, when the page is hidden for the first time. */
import { type Metric, onCLS, onINP, onLCP, onTTFB } from 'web-vitals'

import { type EventName, post } from '@/data/analytics'
import { readConsent } from '@/lib/consent'
import { productSessionId } from '@/lib/product-session'
import { pushSupport } from '@/lib/push'

const MAX_AGENT = 1_000

export function reportVitals(route: string): void {
  const values: Partial<Record<string, number>> = {}
  const keep = ({ name, value }: Metric) => {
    // Milliseconds but for the layout shift, which is a share of the screen.
    values[name.toLowerCase()] = name === 'CLS' ? Math.round(value * 1000) / 1000 : Math.round(value)
  }
  for (const observe of [onLCP, onINP, onCLS, onTTFB]) observe(keep, { reportAllChanges: true })
  // The library listens on the window and earlier, so its last values are there.
  document.addEventListener('visibilitychange', finish)

  function finish(): void {
    if (document.visibilityState !== 'hidden') return
    document.removeEventListener('visibilitychange', finish)
    if (Object.keys(values).length === 0) return
    const device = /\bMobi/.test(navigator.userAgent) ? 'phone' : 'computer'
    send({ page: route, device, ...abilities(), ...values })
  }
}

/** The class of the screen and three features that the product uses; nothing that singles a person out. */
function abilities(): object {
  const { innerWidth } = window
  const notCompact = innerWidth < 1024 ? 'medium' : 'large'
  return {
    viewport: innerWidth < 600 ? 'compact' : notCompact,
    push: pushSupport() === 'supported',
    speech: 'SpeechRecognition' in window || 'webkitSpeechRecognition' in window,
    opfs: typeof navigator.storage?.getDirectory === 'function',
  }
}

/** Of nobody and without the hash of the address: a page that closes can wait for neither. */
function send(properties: object): void {
  if (readConsent() !== 'accepted') return
  const event = {
    event_name: 'web_vitals' satisfies EventName,
    user_id: null,
    session_id: productSessionId(),
    properties,
    user_agent: navigator.userAgent.slice(0, MAX_AGENT),
  }
  post('/rest/v1/analytics_events', event, { Prefer: 'return=minimal' }).catch((error: unknown) =>
    console.warn('Analytics tracking error', error),
  )
}
