/** WhatsApp in words: states of messages, numbers and templates, and what went wrong. */
import type { Enums } from '@/data/tables'
import type { WhatsappExclusion, WhatsappPrice } from '@/data/whatsapp-campaigns'

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

/** Why a voice note has no text. */
export const transcriptProblems: Record<Enums<'transcript_error'>, string> = {
  fornitore: 'La trascrizione non è riuscita e non ti è costata nulla: riprova',
  occupato: 'L’IA ha troppe richieste in questo momento: riprova tra poco',
  rifiutato: 'Il fornitore dell’IA ha rifiutato la richiesta: ascolta il messaggio',
  vuoto: 'Non si sente nessuna parola',
  crediti: 'I crediti, o il loro tetto, non bastavano per trascriverlo',
  consenso: 'Non è stato trascritto: hai tolto il consenso all’IA',
  file: 'Questo file non si può trascrivere: ascoltalo',
  fermo: 'L’IA è ferma per tutti, per il momento: riprova più tardi. Non ti è costato nulla',
  interrotto: 'La trascrizione si è interrotta e non ti è costata nulla: riprova',
}

export const whatsappAccountStates: Record<Enums<'whatsapp_account_state'>, string> = {
  attivo: 'Attivo',
  da_ricollegare: 'Da ricollegare',
  sospeso: 'Sospeso',
  spento: 'Bloccato da Meta',
}

/** How far the messages of the phone have come in; a percentage is shown while they do. */
export const whatsappHistoryStates: Record<Exclude<Enums<'whatsapp_history_state'>, 'in_corso'>, string> = {
  da_chiedere: 'in attesa di Meta',
  attesa: 'in attesa di Meta',
  finita: 'finita',
  rifiutata: 'non condivisa',
  fallita: 'non disponibile',
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

/** What a place of a template may say of each contact, as private.contact_values names it. */
export const contactPlaces: Record<string, string> = {
  nome: 'Il nome del contatto',
  cognome: 'Il cognome del contatto',
  contatto: 'Nome completo o ragione sociale',
  azienda: 'L’azienda del contatto',
}

export const whatsappExclusions: Record<WhatsappExclusion, string> = {
  no_number: 'non ha un numero né una conversazione WhatsApp',
  stopped: 'ha chiesto di non ricevere altri messaggi',
  objected: 'ha rifiutato o si è opposto',
  consent: 'manca il consenso alle promozioni su WhatsApp',
  never_wrote: 'non ti ha mai scritto e non ha accettato messaggi su WhatsApp',
  unreachable: 'gli ultimi messaggi non sono arrivati',
  unfilled: 'manca un dato che il modello usa',
  too_long: 'il messaggio diventa troppo lungo',
  often: 'ha già ricevuto 3 messaggi in 7 giorni',
}

/** Refusals of a campaign by WhatsApp by their code; what else fails is said in general. */
export const whatsappCampaignRefusals: Partial<Record<string, string>> = {
  PT404: 'Questo modello non c’è più: scegline un altro',
  SW001: 'Il numero WhatsApp non può inviare: controlla Impostazioni → Canali',
  SW004: 'Per ora Meta non permette di inviare questo modello: scegline un altro, o riprova domani',
  SW008: 'Sono più persone di quante Meta ne permette oggi: conferma i giorni dopo, o scegline meno',
  SW009: 'Una promozione deve dire come smettere di riceverla: aggiungi «Rispondi STOP…» al modello',
  SW010: 'Sono troppi contatti: al massimo 5000 per invio',
  SM010: 'Nessuno di questi contatti può riceverlo',
  SM011: 'Il numero dei destinatari è cambiato: controllalo e scrivilo di nuovo',
}

/** «da 3,20 € a 4,10 €», or that it is not known. */
export function campaignPrice({ sums, unpriced }: WhatsappPrice): string {
  const known = sums.map(({ currency, least_micros: least, most_micros: most }) => {
    const format = new Intl.NumberFormat('it-IT', { style: 'currency', currency })
    if (least === most) return format.format(most / 1e6)
    return `da ${format.format(least / 1e6)} a ${format.format(most / 1e6)}`
  })
  if (known.length === 0) return 'prezzo non noto'
  const rest =
    unpriced === 1 ? ', più un messaggio di prezzo non noto' : `, più ${unpriced} messaggi di prezzo non noto`
  return known.join(' e ') + (unpriced > 0 ? rest : '')
}

/** «1:05» */
export function minutesAndSeconds(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

/** «3 h 12 min» until a moment; null when it is over. */
export function timeLeft(until: string, now: number): string | null {
  const minutes = Math.floor((new Date(until).getTime() - now) / 60_000)
  if (minutes < 0) return null
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
