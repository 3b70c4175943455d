/** Words of the screens about phones and browsers. */
import type { QaCell, QaCheck, QaKind, QaRequest, QaState } from '@/data/admin-qa'
import { dateAndTime, dayInDigits, timeOfDay } from '@/strings/dates'

export const qaChecks: Record<QaCheck, string> = {
  opens: 'Si apre senza errori',
  overflow: 'Sta nella larghezza',
  tap_target: 'Comandi di almeno 24 px',
  keyboard: 'Si raggiunge da tastiera',
  bottom_bar: 'La barra in basso non copre niente',
}

const states: Record<QaState, string> = {
  passed: 'passata',
  failed: 'fallita',
  skipped: 'saltata',
  accepted: 'accettata',
}

export function qaStateText({ state, verdict }: Pick<QaCell, 'state' | 'verdict'>): string {
  if (state === 'accepted' && verdict?.until) return `accettata fino al ${dayInDigits(verdict.until)}`
  return states[state]
}

export const qaOutcome = (outcome: QaState): string => states[outcome]

const browsers: Record<string, string> = { chromium: 'Chromium', firefox: 'Firefox', webkit: 'WebKit' }

/** `chromium 150` or `360`, as people read it. */
export function qaPlace(kind: QaKind, place: string): string {
  if (kind === 'mobile') return `${place} px`
  const [name = '', version = ''] = place.split(/ (?=\S+$)/)
  return `${browsers[name] ?? name} ${version}`.trim()
}

/** What became of a request, but for the findings of its run. */
export function qaRequestText(request: QaRequest): string {
  switch (request.state) {
    case 'waiting':
      return `In attesa di una macchina di prova dalle ${timeOfDay(request.asked_at)}`
    case 'running':
      return `In corso su ${request.machine} dalle ${timeOfDay(request.taken_at)}`
    case 'done':
      return `Finita su ${request.machine}: ${dateAndTime(request.ended_at)}`
    case 'failed':
      return `Fallita su ${request.machine}: ${request.failure}`
    case 'expired':
      return request.machine && request.seen_at
        ? `Scaduta: ${request.machine} non risponde più dal ${dateAndTime(request.seen_at)}`
        : `Scaduta: nessuna macchina l’ha presa entro un’ora dal ${dateAndTime(request.asked_at)}`
  }
}
