/**
 * What Socio can do today and what it will do: the only place that decides which words a page may use (SITE-35).
 *
 * Pages name what works today; what comes later they leave out, or say «In arrivo» in the same paragraph, item or row.
 * app/capabilities.test.tsx reads every public page and holds them to it.
 */

/** What comes later has the words with which pages speak of it. */
type Capability = { state: 'today' } | { state: 'soon'; words: RegExp }

export const capabilities = {
  chat: { state: 'today' },
  advice: { state: 'today' },
  crm: { state: 'today' },
  documents: { state: 'today' },
  tasks: { state: 'today' },
  briefing: { state: 'today' },
  mailNotices: { state: 'today' },
  flatRate: { state: 'today' },
  webPush: { state: 'today' },
  offline: { state: 'today' },
  channels: { state: 'today' },
  creditRecovery: { state: 'today' },
  autonomy: { state: 'today' },
  /** Agents are free but for the letters of the assistant: no action of theirs has the price that the terms announce. */
  pricedAutonomy: { state: 'soon', words: /azion[ei] autonom[ae]/i },
  pecAndSdi: { state: 'soon', words: /invi\w+ [^.]*\b(PEC|SdI)\b/i },
  exportAll: { state: 'today' },
  mobileApp: { state: 'soon', words: /app mobile|iPhone|Android/i },
  commandCentre: { state: 'today' },
  teams: { state: 'soon', words: /funzioni per il team|gruppi di lavoro|marchio personalizzato/i },
  pricedReading: { state: 'soon', words: /letti dall’IA|estrazione IA|scritto dall’IA/i },
} satisfies Record<string, Capability>

export type CapabilityKey = keyof typeof capabilities

/** The later capabilities that a text names. */
export function namedSoon(text: string): CapabilityKey[] {
  return (Object.keys(capabilities) as CapabilityKey[]).filter((key) => {
    const capability: Capability = capabilities[key]
    return capability.state === 'soon' && capability.words.test(text)
  })
}

/** «Funzioni per il team (in arrivo)»: words of the catalogue, with what they leave open. */
export const withState = (text: string): string => (namedSoon(text).length > 0 ? `${text} (in arrivo)` : text)

/** The actions of the price list that exist and are charged, or free, today. */
const actions: ReadonlySet<string> = new Set([
  'chat',
  'chat_local',
  'chat_deep',
  'advice',
  'ocr',
  'fattura_pa',
  'voice_minute',
  'letter',
])

export const isSoldToday = ({ action }: { action: string }): boolean => actions.has(action)
