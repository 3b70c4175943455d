/** Why a mail did not go, and the servers that people have. */
import type { Exclusion } from '@/data/campaigns'
import type { DomainCheck } from '@/data/mail'
import type { Enums } from '@/data/tables'

export const mailErrors: Record<Enums<'mail_error'>, string> = {
  unreachable: 'Il server di posta non risponde',
  tls: 'Il server di posta non offre un collegamento cifrato valido',
  auth: 'Il server di posta non accetta nome utente o password',
  busy: 'Il server di posta è occupato',
  refused: 'Il server di posta ha rifiutato il messaggio',
  bad_address: 'Il server di posta non accetta l’indirizzo',
  attachment: 'L’allegato non c’è più, o è troppo grande',
  expired: 'Per un giorno non è stato possibile inviarla',
  suppressed: 'Questo indirizzo non vuole ricevere e-mail da te',
  consent: 'Manca il consenso a ricevere promozioni',
  interrupted: 'Il collegamento si è interrotto durante l’invio',
  disconnected: 'La casella non è più collegata',
  bounced: 'È tornata indietro: l’indirizzo non la riceve',
}

export const domainStates: Record<DomainCheck['state'], string> = {
  ok: 'a posto',
  weak: 'c’è, ma si può migliorare',
  missing: 'manca',
  wrong: 'da correggere',
  unknown: 'non si sa',
}

export const mailBases: Record<Enums<'mail_basis'>, string> = {
  contratto: 'Lavoro: preventivi, fatture, risposte, solleciti',
  consenso: 'Promozione a chi ha dato il consenso',
  soft_spam: 'Promozione a chi ha già comprato, su servizi simili',
}

export const exclusions: Record<Exclusion, string> = {
  no_address: 'non ha un indirizzo e-mail',
  no_sale: 'non risultano fatture emesse a suo nome',
  suppressed: 'non vuole ricevere e-mail da te',
  consent: 'manca il consenso alle promozioni',
  unfilled: 'manca un dato che il testo usa',
  too_long: 'il testo diventa troppo lungo',
}

/** Refusals of queue_campaign by their code; what else fails is said in general. */
export const campaignRefusals: Partial<Record<string, string>> = {
  SM001: 'Collega prima la tua casella in Impostazioni → Canali',
  SM005: 'Oggi non puoi inviare così tante e-mail',
  SM010: 'Nessuno di questi contatti può riceverla',
  SM011: 'Il numero dei destinatari è cambiato: controllalo e scrivilo di nuovo',
}

export const suppressionReasons: Record<Enums<'mail_suppression_reason'>, string> = {
  manuale: 'Aggiunto da te',
  disiscritto: 'Si è disiscritto',
  rimbalzo: 'L’indirizzo non esiste o non riceve',
  reclamo: 'Ha segnalato una tua e-mail come spam',
}

export type Preset = {
  name: string
  host: string
  port: number
  security: Enums<'mail_security'>
  /** Where mail is read, by TLS on port 993, if known. */
  imap?: string
  /** What its people have to know. */
  hint?: string
}

export const mailPresets: Preset[] = [
  { name: 'Aruba', host: 'smtps.aruba.it', port: 465, security: 'tls', imap: 'imaps.aruba.it' },
  { name: 'Register', host: 'authsmtp.securemail.pro', port: 465, security: 'tls', imap: 'imap.securemail.pro' },
  { name: 'Libero', host: 'smtp.libero.it', port: 465, security: 'tls', imap: 'imapmail.libero.it' },
  { name: 'TIM', host: 'box.posta.tim.it', port: 465, security: 'tls' },
  { name: 'Alice', host: 'out.alice.it', port: 465, security: 'tls', hint: 'Anche per gli indirizzi @tin.it.' },
  {
    name: 'Gmail',
    host: 'smtp.gmail.com',
    port: 465,
    security: 'tls',
    imap: 'imap.gmail.com',
    hint: 'Serve una «password per le app»: la crei nel tuo account Google, con la verifica in due passaggi attiva.',
  },
]
