/** Words for goals, their steps, mandates and the ethical log. */
import type { Agent, Goal, ReminderChannel } from '@/data/goals'
import type { Enums, Tables } from '@/data/tables'
import { credits } from '@/strings/credits'

type AgentWords = {
  name: string
  /** What the person wants, in their words, and how it is reached. */
  aim: string
  line: string
  /** Whom or what its steps are about. */
  target: string
  /** What its mandate is about: letters to others, or changes of one's own data. */
  action: 'mail' | 'archivio'
  /** What it does, how, and when it stops. */
  lines: readonly [string, string, string]
  /** One of its proposals, and several. */
  message: readonly [string, string]
  /** Why a rehearsal sent nothing. */
  nothing: string
}

export const agents: Record<Agent, AgentWords> = {
  recupero_crediti: {
    name: 'Recupero crediti',
    aim: 'Farmi pagare le fatture scadute',
    line: 'Solleciti ai clienti, sempre più decisi, finché pagano.',
    target: 'i clienti con fatture non pagate',
    action: 'mail',
    lines: [
      'Scrive a chi ti deve dei soldi 3 giorni prima della scadenza, poi dopo 1, 8 e 20 giorni.',
      'Un solo messaggio per cliente, dalla tua casella, con le fatture in PDF; se vuoi anche per WhatsApp e PEC. Con i testi di Socio non usa crediti.',
      'Si ferma appena segni la fattura come pagata. Di notte e nei festivi aspetta.',
    ],
    message: ['sollecito', 'solleciti'],
    nothing: 'nessuna fattura è rimasta aperta oltre la scadenza',
  },
  segui_preventivi: {
    name: 'Segui i preventivi',
    aim: 'Seguire i preventivi senza risposta',
    line: 'Due messaggi gentili a chi non ti ha ancora detto sì o no.',
    target: 'i clienti che non hanno risposto a un preventivo',
    action: 'mail',
    lines: [
      'Chiede notizie delle trattative ferme in «Preventivo» dopo 7 giorni di silenzio, e ancora dopo 14.',
      'Un solo messaggio per cliente, dalla tua casella, con il titolo della trattativa e il preventivo collegato.',
      'Si ferma se il cliente risponde, se sposti la trattativa o quando scade. Con i testi di Socio non usa crediti.',
    ],
    message: ['messaggio', 'messaggi'],
    nothing: 'nessun preventivo è rimasto senza risposta',
  },
  pulizia_contatti: {
    name: 'Pulizia contatti',
    aim: 'Tenere in ordine i contatti',
    line: 'Unisce i doppioni con il tuo sì e segnala i dati che mancano.',
    target: 'i contatti doppi o incompleti della tua rubrica',
    action: 'archivio',
    lines: [
      'Propone di unire i contatti che sono quasi di sicuro gli stessi: un’unione si annulla per 30 giorni.',
      'Crea un’attività per i clienti senza email, partita IVA o codice destinatario.',
      'Al massimo dieci proposte al giorno. Non scrive a nessuno e non usa crediti.',
    ],
    message: ['modifica', 'modifiche'],
    nothing: 'nessun contatto doppio, nessun dato che manca',
  },
  chiusura_mese: {
    name: 'Chiusura del mese',
    aim: 'Chiudere il mese per il commercialista',
    line: 'Trova che cosa manca nelle fatture e ti prepara il pacchetto.',
    target: 'le fatture del mese prima',
    action: 'archivio',
    lines: [
      'Nei primi 15 giorni guarda le fatture del mese prima: da registrare, da controllare, senza contatto o file, mancanti nella numerazione.',
      'Per ognuna di queste cose crea un’attività, e una per mandare al commercialista il pacchetto del mese.',
      'Non scrive a nessuno e non usa crediti.',
    ],
    message: ['attività', 'attività'],
    nothing: 'le fatture dell’ultimo mese chiuso sono a posto',
  },
}

/** The fifth agent, which needs no goal and no mandate. */
export const briefing = {
  aim: 'Sapere ogni mattina che cosa conta',
  line: 'Il briefing con impegni, soldi e persone da risentire: scrive solo a te.',
}

const goalStates: Record<Enums<'goal_state'>, string> = {
  bozza: 'Bozza',
  pianificato: 'Pianificato',
  in_approvazione: 'Da approvare',
  attivo: 'Attivo',
  in_attesa: 'In attesa',
  in_pausa: 'In pausa',
  completato: 'Concluso',
  fallito: 'Non riuscito',
  annullato: 'Annullato',
}

const goalWaits: Record<Enums<'goal_wait'>, string> = {
  utente: 'Aspetta te',
  budget: 'Aspetta altri crediti',
  orario: 'Riparte in orario di lavoro',
}

/** How a goal is, in two or three words. */
export const goalState = ({ state, wait }: Pick<Goal, 'state' | 'wait'>): string =>
  wait === null ? goalStates[state] : goalWaits[wait]

/** What is said of a step that was carried out, where it is no mail. */
export const doneWords: Partial<Record<string, string>> = { merge: 'Uniti', task: 'Attività creata' }

export const stepStates: Record<Enums<'goal_step_state'>, string> = {
  pianificato: 'In partenza',
  in_approvazione: 'Da approvare',
  approvato: 'Approvato',
  fatto: 'Inviato',
  saltato: 'Non serve più',
  bloccato: 'Bloccato',
  fallito: 'Non riuscito',
  rifiutato: 'Rifiutato da te',
  scaduto: 'Proposta scaduta',
  annullato: 'Ritirato',
}

/** Why a step ended as it did, by its code. */
export const stepReasons: Partial<Record<string, string>> = {
  paid: 'È stata pagata nel frattempo',
  answered: 'Il preventivo non aspetta più una risposta',
  done: 'È già a posto',
  changed: 'I dati sono cambiati nel frattempo: si prepara di nuovo',
  stopped: 'Fermato prima di partire',
  left_out: 'Il piano non prevede più questo passo',
  attempts: 'Non è riuscito dopo cinque tentativi',
  SM001: 'Scegli da dove inviare in Impostazioni → Canali',
  SM002: 'L’indirizzo non è più di questo contatto',
  SM003: 'Questo indirizzo non vuole ricevere email da te',
  SM005: 'Per oggi hai raggiunto il limite di email della tua casella',
  SM007: 'Il documento da allegare non c’è più',
  SM014: 'Per oggi hai raggiunto il limite di email tramite Socio',
  SM016: 'L’invio tramite Socio è in pausa: vedi Impostazioni → Canali',
  SM017: 'Conferma l’indirizzo email con cui accedi',
  SM012: 'Questo indirizzo ha già avuto abbastanza email automatiche',
  SM019: 'La tua casella non è più una PEC',
  SW001: 'Il tuo numero WhatsApp ora non invia',
  SW003: 'Il cliente non vuole messaggi su WhatsApp',
  SW004: 'Il modello WhatsApp non è più approvato, o manca un suo dato',
  SW005: 'Per oggi hai scritto a tutte le persone che Meta permette',
  channel_mandate: 'Il mandato non prevede più questo canale: si prepara di nuovo',
  channel_changed: 'Recapito o modello sono cambiati: si prepara di nuovo',
  channel_no_account: 'Non c’è più un numero WhatsApp collegato: si prepara di nuovo',
  channel_account: 'Il tuo numero WhatsApp ora non invia: si prepara di nuovo',
  channel_no_template: 'Il modello WhatsApp non c’è più: si prepara di nuovo',
  channel_template_pending: 'Meta valuta di nuovo il modello WhatsApp: si prepara di nuovo',
  channel_template: 'Il modello WhatsApp non è più approvato: si prepara di nuovo',
  channel_no_number: 'Il cliente non ha più un numero WhatsApp: si prepara di nuovo',
  channel_stopped: 'Il cliente non vuole messaggi su WhatsApp: si prepara di nuovo',
  channel_objected: 'Il cliente non vuole messaggi su WhatsApp: si prepara di nuovo',
  channel_never_wrote: 'Manca il consenso del cliente su WhatsApp: si prepara di nuovo',
  channel_unreachable: 'I messaggi WhatsApp non gli arrivano: si prepara di nuovo',
  channel_no_pec_account: 'La tua casella non è più una PEC: si prepara di nuovo',
  channel_no_pec: 'Il cliente non ha più una PEC: si prepara di nuovo',
  channel_pec_refused: 'La PEC del cliente non riceve più: si prepara di nuovo',
}

/** How a message goes. */
export const channelWords: Record<ReminderChannel, string> = {
  email: 'per email',
  whatsapp: 'su WhatsApp',
  pec: 'per PEC',
}

/** What a mandate adds to mail; null where it adds nothing. */
export function mandateChannels({ uses_whatsapp: whatsapp, uses_pec: pec }: Tables<'agent_mandates'>): string | null {
  if (whatsapp && pec) return 'per email, poi WhatsApp, l’ultimo per PEC'
  if (whatsapp) return 'per email, poi WhatsApp'
  return pec ? 'per email, l’ultimo per PEC' : null
}

/** Who writes, where it is the assistant: «scritti dall’assistente a 1 credito l’uno, al massimo 50 crediti». */
export function mandateWriter({ letter_credits: price, letter_budget: most }: Tables<'agent_mandates'>): string | null {
  if (price === null || most === null) return null
  return `scritti dall’assistente a ${credits(price)} l’uno, al massimo ${credits(most)}`
}

/** The template that Meta has to approve; private.reminder_template has its name, recovery.template_values its values. */
export const reminderTemplate = {
  name: 'promemoria_pagamento',
  category: 'UTILITY',
  body: 'Gentile {{nome}}, le ricordo un pagamento ancora aperto: {{fatture}}, in totale {{totale}}, scadenza {{scadenza}}. Se è già partito, non tenga conto di questo messaggio.',
  examples: { nome: 'Rossi srl', fatture: 'fattura 12', totale: '1.220,00 €', scadenza: '30 giugno 2026' },
}

export const tones: Record<number, string> = { 1: 'cortese', 2: 'deciso', 3: 'fermo' }

type AutonomyWords = Partial<Record<Enums<'goal_autonomy'>, { title: string; text: string }>>

/** What a mandate can give, by what it is about. */
export const autonomies: Record<AgentWords['action'], AutonomyWords> = {
  mail: {
    proponi: { title: 'Proponi', text: 'Socio prepara ogni messaggio e aspetta il tuo sì.' },
    assistita: { title: 'Assistita', text: 'I messaggi cortesi partono da soli, quelli decisi aspettano il tuo sì.' },
    supervisionata: {
      title: 'Supervisionata',
      text: 'Partono da soli entro i limiti qui sotto. Tutto il resto aspetta il tuo sì.',
    },
  },
  archivio: {
    proponi: { title: 'Proponi', text: 'Socio prepara ogni modifica e aspetta il tuo sì.' },
    assistita: {
      title: 'Assistita',
      text: 'Le attività nascono da sole. Le unioni di contatti aspettano sempre il tuo sì.',
    },
  },
}

/** What an entry of the log is about. */
export const logActions: Partial<Record<string, string>> = {
  giudizio: 'Le regole hanno valutato',
  decisione: 'Hai deciso',
  effetto: 'Eseguito',
  mandato: 'Mandato',
  obiettivo: 'Obiettivo',
  interruttore: 'Interruttore',
}

const outcomes: Partial<Record<string, string>> = {
  consenti: 'consentito',
  conferma: 'serve il tuo sì',
  blocca: 'bloccato',
  dato: 'dato',
  revocato: 'revocato',
  approvato: 'approvato',
  modificato: 'modificato',
  pianificato: 'pianificato',
  rifiutato: 'rifiutato',
  in_pausa: 'messo in pausa',
  attivo: 'ripreso',
  completato: 'concluso',
  annullato: 'annullato',
  ferma: 'tutto fermo',
  altri_crediti: 'altri crediti',
  riprendi: 'si riprende',
}

export const logOutcome = (verdict: string | null, decision: string | null): string =>
  outcomes[verdict ?? decision ?? ''] ?? ''

/** Refusals of the server by their code. */
export const goalRefusals: Partial<Record<string, string>> = {
  SG002: 'La proposta è cambiata: rileggila prima di decidere',
  SG003: 'La proposta non è più aperta',
  SG004: 'Serve prima un mandato',
  SG005: 'Un’unione si approva da sola',
  SG007: 'Il prezzo è cambiato: ricarica la pagina e confermalo',
  SG006: 'Il testo è quello del modello approvato da Meta: non si cambia',
}
