/** WhatsApp in words: states of messages, numbers and templates, and what went wrong. */
import type { Enums } from '@/data/tables'

export const whatsappStates: Record<Enums<'whatsapp_state'>, string> = {
  queued: 'In coda',
  sending: 'In invio',
  sent: 'Inviato',
  delivered: 'Consegnato',
  read: 'Letto',
  failed: 'Non inviato',
  uncertain: 'Incerto',
  cancelled: 'Annullato',
}

export const whatsappErrors: Record<Enums<'whatsapp_error'>, string> = {
  meta: 'WhatsApp non l’ha accettato',
  expired: 'Non è stato possibile inviarlo in tempo',
  window: 'Le 24 ore sono finite prima che partisse',
  stopped: 'La persona non vuole altri messaggi',
  consent: 'Manca il consenso a ricevere promozioni',
  interrupted: 'Il collegamento si è interrotto durante l’invio',
  disconnected: 'Il numero non è più collegato',
  unreachable: 'WhatsApp non risponde: Socio riprova',
  attachment: 'Il file non c’è più o è troppo grande',
}

/** Why the file of a received message is not shown. */
export const mediaProblems: Record<Exclude<Enums<'whatsapp_media_state'>, 'pronto'>, string> = {
  attesa: 'Il file sta arrivando',
  illeggibile: 'Il file non è quello che dice di essere: non aprirlo se non lo aspettavi',
  scaduto: 'Il file non è più su WhatsApp: chiedi di inviarlo di nuovo',
  grande: 'Il file supera i 50 MB: aprilo dal telefono',
  senza_spazio: 'Il tuo spazio è pieno: elimina dei file e riprova',
  scollegato: 'Ricollega il numero WhatsApp e riprova',
  diverso: 'Il file è arrivato rovinato',
  fallito: 'Il file non è arrivato',
}

export const whatsappAccountStates: Record<Enums<'whatsapp_account_state'>, string> = {
  attivo: 'Attivo',
  da_ricollegare: 'Da ricollegare',
  sospeso: 'Sospeso',
  spento: 'Bloccato da Meta',
}

export const templateCategories: Record<string, string> = {
  UTILITY: 'Servizio: promemoria, conferme, solleciti',
  MARKETING: 'Promozione: serve il consenso',
  AUTHENTICATION: 'Codici di accesso',
}

const templateStates: Record<string, string> = {
  APPROVED: 'Approvato',
  PENDING: 'In attesa di Meta',
  REJECTED: 'Rifiutato da Meta',
  PAUSED: 'In pausa per qualità',
  DISABLED: 'Disattivato da Meta',
  CHANGED: 'Cambiato: aggiorna i modelli',
}

/** A state of a template; one that Meta adds is shown by its name. */
export function templateState(state: string): string {
  return templateStates[state] ?? state
}

const priceCategories: Record<string, string> = {
  service: 'Risposte',
  utility: 'Modelli di servizio',
  marketing: 'Modelli promozionali',
  authentication: 'Codici di accesso',
}

/** A category of prices; one that Meta adds is shown by its name. */
export function priceCategory(category: string): string {
  return priceCategories[category] ?? category
}

/** «3 h 12 min» until a moment; null when it is over. */
export function timeLeft(until: string, now: number): string | null {
  const minutes = Math.floor((new Date(until).getTime() - now) / 60_000)
  if (minutes < 0) return null
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
