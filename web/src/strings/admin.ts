/** Names of the screens, figures and columns of the administration. */
import type { ChargedAction, ErrorDecision, Light, ReportName } from '@/data/admin'
import type { CreditPrice } from '@/data/catalog'
import { paths } from '@/paths'
import { dateAndTime, dayInDigits, fullDate } from '@/strings/dates'
import { formatBytes } from '@/strings/files'
import { flatRateActivities } from '@/strings/flat-rate'
import { formatCount, formatEuro, typedEuro } from '@/strings/numbers'

export const adminScreens = [
  { to: paths.admin, label: 'Panoramica' },
  { to: paths.adminErrors, label: 'Errori' },
  { to: paths.adminUptime, label: 'Disponibilità' },
  { to: paths.adminMobileQa, label: 'Mobile' },
  { to: paths.adminBrowserTesting, label: 'Browser' },
  { to: paths.adminPerformance, label: 'Prestazioni' },
  { to: paths.adminAnalytics, label: 'Analytics' },
  { to: paths.adminPaymentEvents, label: 'Pagamenti' },
  { to: paths.adminSecurity, label: 'Sicurezza' },
  { to: paths.adminDatabaseHealth, label: 'Database' },
  { to: paths.adminCreditAudit, label: 'Crediti' },
  { to: paths.adminRoadmap, label: 'Roadmap' },
] as const

export const periods = [
  { key: '24h', label: '24 ore', hours: 24 },
  { key: '7g', label: '7 giorni', hours: 168 },
  { key: '30g', label: '30 giorni', hours: 720 },
  { key: '90g', label: '90 giorni', hours: 2160 },
] as const

/** The period that an address names, a week by default. */
export const periodOf = (search: URLSearchParams) =>
  periods.find(({ key }) => key === search.get('periodo')) ?? periods[1]

export const lightNames: Record<Light, string> = {
  ok: 'In ordine',
  warning: 'Da guardare',
  error: 'Da risolvere',
  old: 'Misura ferma',
}

export const reportNames: Record<ReportName, string> = {
  database: 'Database',
  queue: 'Coda dei lavori',
  payments: 'Pagamenti',
  credits: 'Crediti',
  errors: 'Errori dei browser',
  security: 'Sicurezza',
  backups: 'Copie di sicurezza',
  isolation: 'Isolamento degli account',
  uptime: 'Disponibilità',
  disk: 'Disco',
  client: 'Peso del client',
  people: 'Persone',
  analytics: 'Uso del prodotto',
  performance: 'Prestazioni',
  devices: 'Dispositivi e browser',
}

const errorDecisions: Record<ErrorDecision, string> = {
  open: 'Aperto',
  resolved: 'Risolto',
  next_release: 'Risolto nella prossima versione',
  muted: 'Silenziato',
}

type Show = (value: number) => string

const percent: Show = (value) => `${formatCount(value)} %`
const hoursAgo: Show = (value) => {
  if (value < 2) return value < 1 ? 'meno di un’ora fa' : 'un’ora fa'
  return value < 48 ? `${formatCount(value)} ore fa` : `${formatCount(Math.round(value / 24))} giorni fa`
}
const seconds: Show = (value) => `${formatCount(value)} s`

const milliseconds: Show = (value) =>
  value < 1000 ? `${formatCount(Math.round(value))} ms` : `${formatCount(Math.round(value / 10) / 100)} s`
const shift: Show = (value) => value.toLocaleString('it-IT', { maximumFractionDigits: 3 })

export const UNKNOWN_COST = 'costo non noto'

/** Of few answers a cost is less than a cent. */
const fineEuro: Show = (cents) =>
  (cents / 100).toLocaleString('it-IT', { style: 'currency', currency: 'EUR', maximumFractionDigits: 4 })
const euroOrWords = (value: number | string): string => (typeof value === 'number' ? fineEuro(value) : value)
const fineNumber: Show = (value) => value.toLocaleString('it-IT', { maximumFractionDigits: 6 })

/** Up to where a measure of a page is good, and from where on it is poor (web.dev/articles/vitals). */
const vitalLimits = { lcp: [2500, 4000], inp: [200, 500], cls: [0.1, 0.25], ttfb: [800, 1800] } as const
export type Vital = keyof typeof vitalLimits

export type Verdict = 'good' | 'fair' | 'poor'
export const verdictNames: Record<Verdict, string> = { good: 'buono', fair: 'da migliorare', poor: 'scarso' }

export function verdictOf(vital: Vital, value: number): Verdict {
  const [good, poor] = vitalLimits[vital]
  if (value <= good) return 'good'
  return value <= poor ? 'fair' : 'poor'
}

/** What a figure is called, and how it is written. */
export const figures: Record<string, [string, Show]> = {
  size_bytes: ['Dimensione', formatBytes],
  cache_hit: ['Letture dalla memoria', percent],
  connections: ['Connessioni', formatCount],
  max_connections: ['Connessioni possibili', formatCount],
  longest_transaction_s: ['Transazione più lunga', seconds],
  blocked: ['Sessioni bloccate', formatCount],
  xid_age: ['Età degli xid', formatCount],
  slot_lag_bytes: ['Ritardo della replica', formatBytes],
  drifted: ['Portafogli che non tornano', formatCount],
  liability_cents: ['Crediti dovuti, in euro', formatEuro],
  liability_credits: ['Crediti dovuti', formatCount],
  open_holds: ['Riserve aperte', formatCount],
  old_holds: ['Riserve oltre 10 minuti', formatCount],
  used_credits: ['Usati in 30 giorni', formatCount],
  negative_margins: ['Azioni in perdita', formatCount],
  unknown_costs: ['Azioni dal costo non noto', formatCount],
  events: ['Eventi in 24 ore', formatCount],
  waiting: ['In attesa', formatCount],
  failed: ['Falliti', formatCount],
  oldest_waiting_s: ['Attesa più lunga', seconds],
  open_alerts: ['Avvisi aperti', formatCount],
  revenue_cents: ['Ricavi in 30 giorni', formatEuro],
  orders: ['Ordini in 30 giorni', formatCount],
  last_day: ['Errori in 24 ore', formatCount],
  day_before: ['Il giorno prima', formatCount],
  server_errors: ['Del server in 24 ore', formatCount],
  sessions: ['Visite colpite', formatCount],
  open_groups: ['Gruppi aperti', formatCount],
  regressions: ['Gruppi tornati', formatCount],
  visits: ['Visite in 30 giorni', formatCount],
  registered: ['Registrazioni in 30 giorni', formatCount],
  confirmed: ['Indirizzo confermato', formatCount],
  began: ['Inizio completato', formatCount],
  first_value: ['Primo uso', formatCount],
  bought: ['Hanno acquistato', formatCount],
  consent_rate: ['Consenso alle statistiche', percent],
  lints: ['Regole violate', formatCount],
  tables: ['Tabelle controllate', formatCount],
  admins: ['Amministratori', formatCount],
  admins_without_factor: ['Senza secondo fattore', formatCount],
  with_factor: ['Account con secondo fattore', formatCount],
  actions: ['Azioni in 30 giorni', formatCount],
  wrong_tries: ['Accessi falliti, adesso', formatCount],
  guessed: ['Account provati 5 volte', formatCount],
  deletions: ['Eliminazioni in corso', formatCount],
  keys_late: ['Chiavi da cambiare', formatCount],
  backups: ['Copie tenute', formatCount],
  backup_age_h: ['Ultima copia', hoursAgo],
  backup_bytes: ['Dimensione', formatBytes],
  restore_age_h: ['Ultima prova di ripristino', hoursAgo],
  open_incidents: ['Interruzioni aperte', formatCount],
  failing: ['Parti che non rispondono', formatCount],
  free_bytes: ['Spazio libero', formatBytes],
  total_bytes: ['Spazio in tutto', formatBytes],
  reached: ['Tentativi riusciti', formatCount],
  attempts: ['Tentativi', formatCount],
  proof_tables: ['Tabelle provate', formatCount],
  empty_tables: ['Tabelle senza righe', formatCount],
  people: ['Account', formatCount],
  new: ['Nuovi in 7 giorni', formatCount],
  active: ['Accessi in 7 giorni', formatCount],
  onboarded: ['Hanno finito l’inizio', formatCount],
  longest_wait_s: ['Attesa più lunga', seconds],
  periodic_late_s: ['Ritardo dei periodici', seconds],
  dead_letters: ['Lavori falliti', formatCount],
  mails_waiting: ['Email in attesa', formatCount],
  mails_failed_today: ['Email fallite oggi', formatCount],
  lcp: ['Contenuto visibile (LCP)', milliseconds],
  inp: ['Risposta ai tocchi (INP)', milliseconds],
  cls: ['Spostamenti (CLS)', shift],
  ttfb: ['Primo byte (TTFB)', milliseconds],
  device_visits: ['Visite in 30 giorni', formatCount],
  compact_share: ['Da schermi stretti', percent],
  visit_error_rate: ['Visite con errori', percent],
  unsupported_share: ['Visite con browser troppo vecchi', percent],
  unsupported_people: ['Account con browser troppo vecchi', formatCount],
  unsupported_people_share: ['Sugli account con consenso', percent],
  unsupported_revenue_cents: ['Ricavi da questi account', formatEuro],
}

const clientParts: Record<string, string> = {
  'landing page': 'Pagina iniziale',
  pricing: 'Prezzi',
  store: 'Store',
  app: 'App, prima visita',
  'largest lazy chunk': 'File più grande caricato dopo',
  fonts: 'Caratteri',
}

/** What a column of a report is called, and how a cell of it is written. */
export const columns: Record<string, [string, ((value: never) => string)?]> = {
  name: ['Nome'],
  lint: ['Regola'],
  size_bytes: ['Dimensione', formatBytes],
  rows: ['Righe', formatCount],
  dead_rows: ['Righe morte', formatCount],
  vacuumed_at: ['Ultimo vacuum', fullDate],
  analyzed_at: ['Ultima analisi', fullDate],
  lag_bytes: ['Ritardo', formatBytes],
  active: ['Attivo', (value: boolean) => (value ? 'sì' : 'no')],
  credits: ['Crediti', formatCount],
  cents: ['Euro', formatEuro],
  count: ['Quanti', formatCount],
  answers: ['Volte', formatCount],
  paid_credits: ['Di cui pagati', formatCount],
  charged_cents: ['Incasso', fineEuro],
  cost: ['Costo', euroOrWords],
  margin: ['Margine', euroOrWords],
  judgement: ['Giudizio'],
  uncounted: ['Senza conteggio', formatCount],
  model: ['Modello'],
  host: ['Fornitore'],
  input_euros: ['Ingresso, € per milione', fineNumber],
  output_euros: ['Uscita, € per milione', fineNumber],
  minute_euros: ['Audio, € al minuto', fineNumber],
  outcome: ['Esito'],
  viewpoint: ['Vista da'],
  received_at: ['Ricevuto', fullDate],
  type: ['Tipo'],
  attempts: ['Tentativi', formatCount],
  error: ['Errore'],
  order_id: ['Ordine'],
  id: ['Evento'],
  title: ['Dati'],
  period: ['Per quanto'],
  reason: ['Perché'],
  last_run_at: ['Ultimo controllo', dateAndTime],
  last_is_ok: ['Riuscita', (value: boolean) => (value ? 'sì' : 'no')],
  last_erased: ['Cancellati', formatCount],
  erased_30_days: ['Cancellati in 30 giorni', formatCount],
  took_ms: ['Ultima risposta', (value: number) => `${formatCount(value)} ms`],
  share_30: ['In 30 giorni', percent],
  share_90: ['In 90 giorni', percent],
  changed_at: ['Da', dateAndTime],
  message: ['Messaggio'],
  place: ['Dove'],
  last_request_id: ['Ultima richiesta'],
  state: ['Stato', (value: ErrorDecision) => errorDecisions[value]],
  is_back: ['Tornato', (value: boolean) => (value ? 'sì' : 'no')],
  before: ['Nel periodo prima', formatCount],
  people: ['Persone', formatCount],
  first_seen_at: ['Prima volta', dateAndTime],
  last_seen_at: ['Ultima volta', dateAndTime],
  first_release: ['Dalla versione'],
  last_release: ['Ultima versione'],
  muted_until: ['Fino a, per ora', formatCount],
  sessions: ['Visite', formatCount],
  share: ['Dal passo prima', percent],
  week: ['Settimana dal', dayInDigits],
  week_1: ['Dopo 1 settimana', percent],
  week_2: ['Dopo 2', percent],
  week_4: ['Dopo 4', percent],
  week_8: ['Dopo 8', percent],
  text: ['Affermazione'],
  source: ['Fonte'],
  status: ['Esito', (value: keyof typeof claimStates) => claimStates[value]],
  effective_key: ['Vale invece'],
  surface: ['Pagine'],
  claim: ['Chiave'],
  value: ['Valore'],
  since: ['Dal', dayInDigits],
  valid_from: ['Dal', dayInDigits],
  page: ['Pagina', (value: string) => (value === '*' ? 'pagina inesistente' : value)],
  device: ['Da', (value: string) => (value === 'phone' ? 'telefono' : 'computer')],
  lcp: ['LCP', milliseconds],
  inp: ['INP', milliseconds],
  cls: ['CLS', shift],
  ttfb: ['TTFB', milliseconds],
  verdict: ['Giudizio', (value: Verdict) => verdictNames[value]],
  statement: ['Query'],
  calls: ['Volte', formatCount],
  endpoint: ['Endpoint'],
  requests: ['Risposte', formatCount],
  p95_ms: ['95 su 100 entro', milliseconds],
  failed_percent: ['Con errore', percent],
  total_ms: ['Tempo in tutto', milliseconds],
  mean_ms: ['In media', milliseconds],
  part: ['Parte', (value: string) => clientParts[value] ?? value],
  limit_bytes: ['Limite', formatBytes],
  is_over: ['Esito', (value: boolean) => (value ? 'oltre il limite' : 'entro il limite')],
  viewport: ['Schermo', (value: string) => viewports[value] ?? value],
  system: ['Sistema'],
  visits: ['Visite', formatCount],
  visit_share: ['Sul totale', percent],
  error_rate: ['Con errori', percent],
  browser: ['Browser'],
  browser_version: ['Versione'],
  push: ['Avvisi push', percent],
  speech: ['Dettatura', percent],
  opfs: ['File locali (OPFS)', percent],
  is_supported: ['Supportato', (value: boolean) => (value ? 'sì' : 'no')],
  route: ['Pagina'],
  qa_place: ['Dove'],
  qa_check: ['Controllo'],
  note: ['Che cosa non va'],
  has_picture: ['Immagine', (value: boolean) => (value ? 'sì' : 'no')],
  started_at: ['Quando', dateAndTime],
  passed: ['Passati', formatCount],
  failed_checks: ['Falliti', formatCount],
  release: ['Versione di Socio'],
  ...Object.fromEntries(Object.entries(clientParts).map(([key, label]) => [key, [label, formatBytes]])),
  commit: ['Commit'],
  processing: ['Trattamento'],
  processing_role: ['Ruolo'],
  purpose: ['Finalità'],
  legal_basis: ['Base giuridica'],
  subjects: ['Interessati'],
  personal_data: ['Dati'],
  recipients: ['Destinatari'],
  transfers: ['Trasferimenti'],
  retention: ['Conservazione'],
  measures: ['Misure'],
  ended_on: ['Finito', dayInDigits],
  breach: ['Violazione'],
  risk: ['Rischio'],
  found_at: ['Saputo', dateAndTime],
  authority_told_at: ['Garante avvisato', dateAndTime],
  people_told_at: ['Persone avvisate', dateAndTime],
  tested_at: ['Provata', dateAndTime],
  backup_made_at: ['Copia del', dateAndTime],
  backup_bytes: ['Dimensione', formatBytes],
  saved_rows: ['Righe', formatCount],
  files: ['File', formatCount],
  took_s: ['Durata', seconds],
  is_genuine: ['Firma', (value: boolean) => (value ? 'valida' : 'non valida')],
  verb: ['Tentativo', (value: string) => verbs[value] ?? value],
  role: ['Da', (value: string) => (value === 'anon' ? 'visitatore' : 'altro account')],
}

const verbs: Record<string, string> = {
  select: 'leggere',
  insert: 'scrivere',
  update: 'cambiare',
  delete: 'cancellare',
}

const viewports: Record<string, string> = {
  compact: 'stretto, sotto 600 px',
  medium: 'medio, sotto 1024 px',
  large: 'largo',
  unknown: 'non misurato',
}

const lawFigures: Record<string, string> = {
  soglia: 'Forfettario: soglia',
  soglia_uscita: 'Forfettario: soglia di uscita immediata',
  imposta: 'Forfettario: imposta sostitutiva',
  imposta_avvio: 'Forfettario: imposta dei primi cinque anni',
  gestione_separata: 'Contributi: gestione separata INPS',
  tasso_mora: 'Mora: tasso del semestre, all’anno',
  indennizzo_mora: 'Mora: risarcimento per fattura',
}
const IN_EUROS = new Set(['soglia', 'soglia_uscita', 'indennizzo_mora'])

export function lawFigureName(name: string): string {
  const share = flatRateActivities.find(([activity]) => activity === name)?.[1]
  return share ? `Redditività: ${share}` : (lawFigures[name] ?? name)
}

export const lawFigure = (name: string, value: number): string =>
  IN_EUROS.has(name) ? formatEuro(value * 100) : `${typedEuro(value * 100)} %`

const claimStates = {
  verificato: 'verificata',
  stima: 'stima',
  storico: 'storica',
  in_conflitto: 'in conflitto',
} as const

/** The actions that cost credits, in the order of the price list. */
export const chargedActions = [
  'chat',
  'chat_deep',
  'advice',
  'voice_minute',
  'letter',
] as const satisfies ChargedAction[]

export const actionName = (prices: CreditPrice[], action: string): string =>
  action === 'free' ? 'Senza prezzo' : (prices.find((price) => price.action === action)?.name ?? action)

export const viewpointNames: Record<'worker' | 'watch', string> = { worker: 'Worker', watch: 'Seconda macchina' }

export const journeySteps: Record<'login' | 'read' | 'write' | 'delete', string> = {
  login: 'Accesso',
  read: 'Lettura',
  write: 'Scrittura',
  delete: 'Eliminazione',
}
