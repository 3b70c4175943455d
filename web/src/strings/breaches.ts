/** Words of the register of breaches. */
import type { Breach, BreachRisk } from '@/data/admin-breaches'
import { dateAndTime } from '@/strings/dates'

export const breachRisks: Record<BreachRisk, string> = {
  none: 'Nessun rischio probabile',
  risk: 'Rischio per le persone',
  high: 'Rischio elevato',
}

const HOUR_MS = 3_600_000

/** What is still to be done about a breach and until when, or what was done. */
export function breachState(breach: Breach, now = new Date()): string {
  if (!breach.is_open) return breach.risk === 'none' ? 'Nel registro, senza notifica' : 'Notificata'
  if (breach.risk === 'none') return 'Scrivi perché non c’è rischio'
  if (breach.authority_told_at !== null) return 'Avvisa le persone senza ritardo'
  const hours = Math.floor((new Date(breach.due_at).getTime() - now.getTime()) / HOUR_MS)
  const due = `Garante entro ${dateAndTime(breach.due_at)}`
  if (hours < 0) return `${due}: in ritardo`
  return `${due}: ${hours} ${hours === 1 ? 'ora' : 'ore'}`
}
