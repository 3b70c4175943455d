/** How Socio runs, as everybody may see it. Without supabase-js: a public page shows it. */
import { clientConfig } from '@/lib/config'

export type PartState = 'up' | 'down' | 'unknown'
export type IncidentState = 'investigating' | 'identified' | 'monitoring' | 'resolved'

export type Part = {
  part: string
  state: PartState
  /** How long the last answer took. */
  took_ms: number
  /** Since when it answers, or does not. */
  changed_at: string
  /** Answered checks in per cent; null where none was made. */
  share_30: number | null
  share_90: number | null
  /** Failed minutes of each of ninety days, today last; null where no check was made. */
  failed: (number | null)[]
  /** Minutes of these days without a check, since the first one. */
  missing: number[]
}

export type Incident = {
  id: number
  title: string
  parts: string[]
  state: IncidentState
  started_at: string
  ended_at: string | null
  /** Failed checks opened it, and end it unless an admin has taken it over by writing about it. */
  is_automatic: boolean
  is_taken_over: boolean
  /** Newest first. */
  updates: { state: IncidentState; text: string; at: string }[]
}

export type ServiceStatus = {
  /** Null where nothing was ever checked. */
  checked_at: string | null
  /** In Italy. */
  today: string
  parts: Part[]
  incidents: Incident[]
}

/** The state of everything: a part that is down, parts that nobody asks any more, or all well. */
export function worstState({ parts }: ServiceStatus): PartState {
  if (parts.some(({ state }) => state === 'down')) return 'down'
  return parts.length === 0 || parts.some(({ state }) => state === 'unknown') ? 'unknown' : 'up'
}

/** @throws Error when the server does not answer. */
export async function readServiceStatus(): Promise<ServiceStatus> {
  const { supabaseUrl, publishableKey } = clientConfig()
  const answer = await fetch(`${supabaseUrl}/rest/v1/rpc/service_status`, { headers: { apikey: publishableKey } })
  if (!answer.ok) throw new Error(`service_status answered ${answer.status}`)
  return (await answer.json()) as ServiceStatus
}
