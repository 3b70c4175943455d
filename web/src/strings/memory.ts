/** Memory in words. */
import type { Memory, MemoryKind, Refusal } from '@/data/memories'

export const memoryKinds: Record<MemoryKind, string> = {
  profilo: 'Profilo',
  preferenza: 'Preferenza',
  contatto: 'Contatto',
  decisione: 'Decisione',
  obiettivo: 'Obiettivo',
  narrativa: 'Riassunto',
}

/** What a person writes down by hand, each with an example. */
export const writableKinds = {
  preferenza: 'Nelle email uso il tu e firmo solo con il nome',
  profilo: 'La mia tariffa oraria è 55 euro più IVA',
  contatto: 'Paga sempre a 60 giorni',
  decisione: 'Con i clienti nuovi chiedo un acconto del 40%',
  obiettivo: 'Quest’anno voglio arrivare a 48.000 euro',
} satisfies Partial<Record<MemoryKind, string>>

export const memoryStates: Record<Memory['state'], string> = {
  proposta: 'Da confermare',
  attiva: 'Attivo',
  sospesa: 'In pausa',
  superata: 'Superato',
}

export const memorySources: Record<Memory['source'], string> = {
  manuale: 'scritto da te',
  chat: 'dalla chat',
  nota: 'da una nota',
  documento: 'da un documento',
  sistema: 'riassunto di Socio',
}

const forbidden: Record<string, string> = {
  segreti: 'Password e codici non si tengono in memoria: usa un gestore di password.',
  conto: 'IBAN e numeri di carta non si tengono in memoria.',
  salute: 'Non teniamo in memoria dati sulla salute: la legge li protegge in modo speciale.',
  convinzioni: 'Non teniamo in memoria fede, idee politiche, sindacato o vita privata delle persone.',
}

/** The sentence under the field. */
export function refusalText(refusal: Exclude<Refusal, { reason: 'similar' }>): string {
  if (refusal.reason === 'full') return 'La memoria è piena: dimentica o metti in pausa qualcosa, poi riprova.'
  if (refusal.reason === 'forbidden') return forbidden[refusal.what] ?? 'Questo non si può tenere in memoria.'
  return 'Non siamo riusciti a salvare: riprova.'
}

/** «usato 6 volte». */
export function timesUsed(uses: number): string {
  if (uses === 0) return 'mai usato'
  return uses === 1 ? 'usato una volta' : `usato ${uses} volte`
}
