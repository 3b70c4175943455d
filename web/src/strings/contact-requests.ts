/** The words of requests that clients make about their data. */
import { differenceInCalendarDays, parseISO } from 'date-fns'

import type { RequestKind, RequestOutcome } from '@/data/contact-requests'

export const requestKinds: Record<RequestKind, string> = {
  accesso: 'Sapere quali dati hai',
  copia: 'Una copia dei dati',
  rettifica: 'Correggere i dati',
  cancellazione: 'Cancellare i dati',
  opposizione: 'Non usare più i dati',
}

export const requestOutcomes: Record<RequestOutcome, string> = {
  soddisfatta: 'Soddisfatta',
  in_parte: 'Soddisfatta in parte',
  rifiutata: 'Rifiutata, con il motivo',
  ritirata: 'Ritirata dal cliente',
}

/** How a finding is headed. */
export const rightsDomains: Record<string, string> = {
  scheda: 'Scheda',
  storia: 'Storia',
  consensi: 'Consensi',
  lavoro: 'Lavoro',
  messaggi: 'Messaggi',
  documenti: 'Documenti',
  assistente: 'Assistente',
  richieste: 'Richieste',
}

/** From this many days on a deadline is urgent. */
const URGENT_DAYS = 7

/** The countdown to a day: «mancano 12 giorni», «scaduta da 3 giorni»; a pressing one is to stand out. */
export function countdown(dueOn: string, now = new Date()): { text: string; isUrgent: boolean } {
  const days = differenceInCalendarDays(parseISO(dueOn), now)
  const isUrgent = days < URGENT_DAYS
  if (days === 0) return { text: 'scade oggi', isUrgent }
  if (days === 1) return { text: 'manca un giorno', isUrgent }
  if (days > 1) return { text: `mancano ${days} giorni`, isUrgent }
  return { text: days === -1 ? 'scaduta da un giorno' : `scaduta da ${-days} giorni`, isUrgent }
}
