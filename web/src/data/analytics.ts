/**
 * analytics_events: what visitors do, written only after they agreed to it.
 *
 * The public pages import this, so it speaks HTTP by itself; supabase-js comes in only for somebody who is signed in,
 * where it is loaded anyway.
 */
import { clientConfig } from '@/lib/config'
import { IP_HASH_KEY, readConsent } from '@/lib/consent'
import { productSessionId } from '@/lib/product-session'
import { session } from '@/lib/storage'
import { hasStoredSession } from '@/lib/stored-session'
import { withoutTokens } from '@/lib/without-tokens'

/** The events and the place each was seen at (TRACK-01). */
export type EventName =
  | 'page_view'
  | 'hero_cta_click'
  | 'final_cta_click'
  | 'plan_click'
  | 'dashboard_viewed'
  | 'dashboard_stat_clicked'
  | 'dashboard_chart_interacted'
  | 'dashboard_insight_action'
  | 'web_vitals'

type Properties = Record<string, string | number | boolean>

const UNKNOWN = 'unknown'
// The table bounds its texts; a longer one would lose the whole row.
const MAX_REFERRER = 2_000
const MAX_AGENT = 1_000
const TIMEOUT_MS = 10_000

let ipHash: Promise<string> | undefined

const mayTrack = () => readConsent() === 'accepted'

/** Writes one event and returns at once. Does nothing without consent, and a failure is only logged. */
export function track(name: EventName, properties?: Properties): void {
  if (!mayTrack()) {
    // Of a consent that another tab has taken back, or that has run out.
    session.removeItem(IP_HASH_KEY)
    return
  }
  send(name, properties).catch((error: unknown) => console.warn('Analytics tracking error', error))
}

async function send(name: EventName, properties: Properties | undefined): Promise<void> {
  // What is true now, not after the waiting below: by then a refusal may have ended the product session.
  const referrer = document.referrer ? withoutTokens(document.referrer).slice(0, MAX_REFERRER) : null
  const sessionId = productSessionId()
  const { userId, headers } = await caller()
  const event = {
    event_name: name,
    user_id: userId,
    session_id: sessionId,
    properties: properties ?? null,
    referrer,
    user_agent: navigator.userAgent.slice(0, MAX_AGENT),
    ip_hash: await callersIpHash(),
  }
  // Somebody who changed their mind meanwhile has the last word.
  if (!mayTrack()) return
  await post('/rest/v1/analytics_events', event, { ...headers, Prefer: 'return=minimal' })
}

/** Who writes: nobody for visitors, the signed-in person with their token otherwise. */
async function caller(): Promise<{ userId: string | null; headers: Record<string, string> }> {
  if (!hasStoredSession()) return { userId: null, headers: {} }
  const { supabase } = await import('@/lib/supabase')
  const { data } = await supabase.auth.getSession()
  if (!data.session) return { userId: null, headers: {} }
  return { userId: data.session.user.id, headers: { Authorization: `Bearer ${data.session.access_token}` } }
}

/** The pseudonym of the address, asked once in a session; 'unknown' when it cannot be had (FAULT-38). */
async function callersIpHash(): Promise<string> {
  const stored = session.getItem(IP_HASH_KEY)
  if (stored) return stored
  ipHash ??= askForIpHash()
  return ipHash
}

async function askForIpHash(): Promise<string> {
  try {
    const { ip_hash } = (await (await post('/functions/v1/ip_hash', {}, {})).json()) as { ip_hash: string }
    if (mayTrack()) session.setItem(IP_HASH_KEY, ip_hash)
    return ip_hash
  } catch {
    return UNKNOWN
  }
}

/** @throws Error when the server refuses or does not answer. */
export async function post(path: string, body: object, headers: Record<string, string>): Promise<Response> {
  const { supabaseUrl, publishableKey } = clientConfig()
  const response = await fetch(supabaseUrl + path, {
    method: 'POST',
    headers: { apikey: publishableKey, 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
    // A click that leads to another page must still count.
    keepalive: true,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  if (!response.ok) throw new Error(`${path} answered ${response.status}`)
  return response
}
