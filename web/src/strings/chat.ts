/** The chat in words. */
import type { AgentChoice, AgentId } from '@/data/chat'
import { FunctionError } from '@/lib/server-errors'
import { credits } from '@/strings/credits'

export const agentNames: Record<AgentChoice, string> = {
  automatico: 'Automatico',
  logico: 'Logico',
  creativo: 'Creativo',
  strategico: 'Strategico',
  etico: 'Etico',
  esecutore: 'Esecutore',
  consiglio: 'Consiglio',
}

/** What each is for, in a line. */
export const agentTasks: Record<AgentChoice, string> = {
  automatico: 'Sceglie Socio chi risponde',
  logico: 'Controlla i numeri e le premesse',
  creativo: 'Tre varianti, non una',
  strategico: 'Che cosa conviene fare prima',
  etico: 'Privacy, consensi, tono, legge',
  esecutore: 'Prepara le azioni, tu le approvi',
  consiglio: 'I primi tre insieme, Etico rivede',
}

/** Those who answer by themselves, in the order of the list. */
export const agents: AgentId[] = ['logico', 'creativo', 'strategico', 'etico', 'esecutore', 'consiglio']

export const AI_NOTICE = 'Stai parlando con un sistema di IA. Verifica i dati importanti.'

/** Whose model answers, and where what it reads goes; not known of a server of one's own. */
export function modelOf(provider: string | null, inEu: boolean | null): string {
  const where = inEu === null ? '' : inEu ? ', in Europa' : ', anche fuori dall’Europa'
  return `un modello di ${provider ?? 'IA'}${where}`
}

export const modelText = (provider: string | null, inEu: boolean | null): string =>
  `Risponde ${modelOf(provider, inEu)}`

/** How an answer ended badly, by `messages.error_code`; functions/_shared/assistant/events.py says the same. */
const failures: Record<string, string> = {
  ai_stopped: 'Abbiamo fermato l’IA per tutti, per il momento. Usa la modalità locale.',
  interrotta: 'La risposta si è interrotta.',
  lenta: 'La risposta ha richiesto troppo tempo e l’ho fermata.',
  muta: 'Il modello ha smesso di rispondere.',
  vuota: 'Il modello non ha risposto nulla.',
  errore: 'Qualcosa è andato storto mentre rispondevo.',
  ai_unavailable: 'Il servizio di IA non risponde. Riprova tra poco o usa la modalità locale.',
  ai_busy: 'Il servizio di IA è molto richiesto. Riprova tra poco o usa la modalità locale.',
  ai_timeout: 'Il servizio di IA ha impiegato troppo tempo.',
  ai_cut: 'Il servizio di IA ha interrotto la risposta.',
  ai_refused: 'Il servizio di IA non ha accettato la richiesta. Usa la modalità locale.',
  ai_garbage: 'Il modello ha risposto in un modo che non capisco.',
  ai_misconfigured: 'L’IA non è configurata bene su questa installazione. Usa la modalità locale.',
  ai_too_long: 'La richiesta è troppo lunga per il modello: accorciala o apri una nuova conversazione.',
  ai_limit: 'La risposta richiedeva troppi passi: prova con una domanda più precisa.',
}

/** What went wrong with an answer; nothing of it is charged. */
export function failureText(code: string | null): string {
  return (code && failures[code]) || failures.errore || ''
}

/** The person did not want their question to go to this provider. */
export class NotAgreed extends Error {
  override readonly name = 'NotAgreed'
}

/** Why a question was not asked, and what to do. */
export function refusalText(error: unknown): string {
  if (error instanceof NotAgreed) return 'Non ho inviato nulla.'
  if (error instanceof FunctionError && error.status < 500) return error.message
  if (error instanceof FunctionError && (error.code === 'ai_unavailable' || error.code === 'ai_stopped'))
    return error.message
  if (!navigator.onLine) return 'Sei offline: la domanda è qui, inviala quando torna la connessione.'
  return 'Non riusciamo a raggiungere il server: la domanda è qui, riprova tra un momento.'
}

/** Whether the model is what failed: then the answer can be had without one. */
export const isOfModel = (code: string | null | undefined): boolean => code?.startsWith('ai_') ?? false

/** «max 1 credito · saldo 42». */
export function quoteText(quote: number, balance: number | undefined): string {
  const most = quote === 0 ? '0 crediti' : `max ${credits(quote)}`
  return balance === undefined ? most : `${most} · saldo ${balance.toLocaleString('it-IT')}`
}

/** «1 credito (preventivo 1)», «0 crediti · Modalità locale». */
export function costText(cost: number, quote: number | null, isLocal: boolean): string {
  if (isLocal) return '0 crediti · Modalità locale'
  return quote === null ? credits(cost) : `${credits(cost)} (preventivo ${quote})`
}
