/** Why a mail did not go, and the servers that people have. */
import type { Exclusion } from '@/data/campaigns'
import type { DomainCheck } from '@/data/mail'
import type { RelatedMail } from '@/data/mail-search'
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
  suppressed: 'Questo indirizzo non vuole ricevere email da te',
  consent: 'Manca il consenso a ricevere promozioni',
  interrupted: 'Il collegamento si è interrotto durante l’invio',
  disconnected: 'La casella non è più collegata',
  bounced: 'Respinta dal server del destinatario',
  automatic: 'Questo indirizzo ha già avuto abbastanza email automatiche',
}

/** Where people sign in to a mailbox instead of giving its password. */
export const mailProviders: Record<Enums<'mail_provider'>, string> = { microsoft: 'Outlook', google: 'Gmail' }

/** How the last use of a mailbox with a login ended; the rest is as for others. */
export const mailLoginErrors: Partial<Record<Enums<'mail_error'>, string>> = {
  auth: 'La casella non accetta l’accesso: Socio riprova da solo',
  unreachable: 'Il server di posta o di accesso non risponde: Socio riprova da solo',
}

/** Why a mail to the address for forwarded mails was refused. */
export const mailRefusals: Record<Enums<'mail_refusal'>, string> = {
  too_large: 'superava i 25 MB',
  too_many: 'troppe email in un’ora',
  frozen: 'l’account era sospeso',
}

const letterStates: Record<Enums<'mail_state'>, string> = {
  queued: 'in coda',
  sending: 'in invio',
  sent: 'inviata',
  failed: 'non riuscita',
  uncertain: 'incerta',
  cancelled: 'annullata',
}

/** Of a letter how far it is, of a conversation whether it waits. */
export const relatedMailState = ({ state, is_done: isDone }: Pick<RelatedMail, 'state' | 'is_done'>) =>
  state ? letterStates[state] : isDone ? '' : 'da gestire'

const bounceReasons: [RegExp, string][] = [
  [/^5\.1\.10?$/, 'la casella non esiste'],
  [/^5\.1\.2$|^5\.4\./, 'il dominio non esiste o non riceve posta'],
  [/^5\.2\.1$/, 'la casella è disattivata'],
  [/^5\.2\.2$/, 'la casella è piena'],
  [/^5\.(2\.3|3\.4)$/, 'il messaggio è troppo grande'],
  [/^5\.7\./, 'il server del destinatario non accetta la tua posta'],
]

/** Why a mail did not go; of one that came back, by the code (RFC 3463) with which the server's answer begins. */
export function mailErrorText(error: Enums<'mail_error'>, reply: string | null): string {
  if (error === 'bounced' && reply === 'superamento tempo massimo') return 'Non consegnata entro 24 ore'
  const code = reply?.split(' ', 1)[0] ?? ''
  const reason = error === 'bounced' && bounceReasons.find(([pattern]) => pattern.test(code))?.[1]
  return reason ? `Respinta: ${reason}` : mailErrors[error]
}

/** What servers say of a mail that is not back; a bounce is told as its error, receipts of certified mail as ticks. */
export const mailReports: Partial<Record<Enums<'mail_report_kind'>, string>> = {
  ritardo: 'In ritardo: il server del destinatario non risponde ancora, si riprova da solo',
  consegna: 'Arrivata al server del destinatario',
  reclamo: 'Segnalata come spam: Socio non scriverà più a questo indirizzo',
}

/** Why the shared sender is paused, and how to go on. */
export const sharedPauses: Record<'rimbalzi' | 'reclamo', string> = {
  rimbalzi: 'In una settimana tre email sono tornate indietro da indirizzi che non esistono: correggili nei contatti.',
  reclamo: 'Un destinatario ha segnalato una tua email come spam: Socio non gli scriverà più.',
}

/** How the last use of the shared sender ended: its server is the operator's. */
export const sharedErrors: Partial<Record<Enums<'mail_error'>, string>> = {
  disconnected: 'L’invio tramite Socio adesso non è disponibile: le email aspettano un giorno',
  auth: 'Il server di Socio non risponde bene: ci stiamo lavorando, le email aspettano',
  tls: 'Il server di Socio non risponde bene: ci stiamo lavorando, le email aspettano',
  unreachable: 'Il server di Socio non risponde: le email aspettano',
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
  no_address: 'non ha un indirizzo email',
  no_sale: 'non risultano fatture emesse a suo nome',
  suppressed: 'non vuole ricevere email da te',
  consent: 'manca il consenso alle promozioni',
  unfilled: 'manca un dato che il testo usa',
  too_long: 'il testo diventa troppo lungo',
}

/** Refusals of queue_campaign by their code; what else fails is said in general. */
export const campaignRefusals: Partial<Record<string, string>> = {
  SM001: 'Collega prima la tua casella in Impostazioni → Canali',
  SM015: 'Per le campagne collega la tua casella in Impostazioni → Canali',
  SM005: 'Oggi non puoi inviare così tante email',
  SM010: 'Nessuno di questi contatti può riceverla',
  SM011: 'Il numero dei destinatari è cambiato: controllalo e scrivilo di nuovo',
}

/** Why a template was not saved, by the code of db/schemas/43_mail_templates.sql; what else fails is said in general. */
export const templateErrors: Partial<Record<string, string>> = {
  '23505': 'Hai già un modello con questo nome: scegline un altro',
  '23514': 'Controlla nome, oggetto e testo: mancano o sono troppo lunghi',
  SM013: 'Hai già 100 modelli: eliminane uno che non usi',
}

const MISSING_SHOWN = 2

/** «Mancano: nome, cognome e altri 3»: what keeps a mail from leaving. */
export function missingText(names: string[]): string {
  const rest = names.length - MISSING_SHOWN
  const shown = names.slice(0, MISSING_SHOWN).join(', ')
  if (rest <= 0) return `${names.length === 1 ? 'Manca' : 'Mancano'}: ${shown}`
  return `Mancano: ${shown} e ${rest === 1 ? 'un altro' : `altri ${rest}`}`
}

export const suppressionReasons: Record<Enums<'mail_suppression_reason'>, string> = {
  manuale: 'Aggiunto da te',
  disiscritto: 'Si è disiscritto',
  rimbalzo: 'L’indirizzo non esiste o non riceve',
  reclamo: 'Ha segnalato una tua email come spam',
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
  /** Certified mail (PEC). */
  isCertified?: boolean
  /** It takes no password: its people sign in. */
  login?: Enums<'mail_provider'>
}

const pecHint =
  'Se hai la verifica in due passaggi o la PEC europea, crea dal gestore una password dedicata ai programmi.'

export const mailPresets: Preset[] = [
  { name: 'Aruba', host: 'smtps.aruba.it', port: 465, security: 'tls', imap: 'imaps.aruba.it' },
  { name: 'Register', host: 'authsmtp.securemail.pro', port: 465, security: 'tls', imap: 'imap.securemail.pro' },
  { name: 'Libero', host: 'smtp.libero.it', port: 465, security: 'tls', imap: 'imapmail.libero.it' },
  { name: 'TIM', host: 'box.posta.tim.it', port: 465, security: 'tls' },
  { name: 'Alice', host: 'out.alice.it', port: 465, security: 'tls', hint: 'Anche per gli indirizzi @tin.it.' },
  { name: 'Outlook', host: 'smtp.office365.com', port: 587, security: 'starttls', login: 'microsoft' },
  {
    name: 'Gmail',
    host: 'smtp.gmail.com',
    port: 465,
    security: 'tls',
    imap: 'imap.gmail.com',
    hint: 'Serve una «password per le app»: la crei nel tuo account Google, con la verifica in due passaggi attiva.',
  },
  {
    name: 'Aruba PEC',
    host: 'smtps.pec.aruba.it',
    port: 465,
    security: 'tls',
    imap: 'imaps.pec.aruba.it',
    hint: pecHint,
    isCertified: true,
  },
  {
    name: 'Legalmail',
    host: 'sendm.cert.legalmail.it',
    port: 465,
    security: 'tls',
    imap: 'mbox.cert.legalmail.it',
    hint: pecHint,
    isCertified: true,
  },
  {
    name: 'Namirial PEC',
    host: 'smtps.sicurezzapostale.it',
    port: 465,
    security: 'tls',
    imap: 'imaps.sicurezzapostale.it',
    hint: pecHint,
    isCertified: true,
  },
  {
    name: 'Altra PEC',
    host: '',
    port: 465,
    security: 'tls',
    hint: `Trovi i nomi dei due server nella guida del tuo gestore. ${pecHint}`,
    isCertified: true,
  },
]
