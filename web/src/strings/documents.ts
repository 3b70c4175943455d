/** What documents are and how far they are read, as Italian text. */
import type { Enums } from '@/data/tables'

export const documentKindLabels: Record<Enums<'document_kind'>, string> = {
  fattura: 'Fattura',
  preventivo: 'Preventivo',
  contratto: 'Contratto',
  ricevuta: 'Ricevuta',
  f24: 'F24',
  durc: 'DURC',
  visura: 'Visura',
  documento_identita: 'Documento d’identità',
  altro: 'Altro',
}

/** Several of a kind. */
export const documentKindPlurals: Record<Enums<'document_kind'>, string> = {
  fattura: 'Fatture',
  preventivo: 'Preventivi',
  contratto: 'Contratti',
  ricevuta: 'Ricevute',
  f24: 'F24',
  durc: 'DURC',
  visura: 'Visure',
  documento_identita: 'Documenti d’identità',
  altro: 'Altro',
}

export const documentStateLabels: Record<Enums<'document_state'>, string> = {
  in_coda: 'In coda',
  lettura: 'Lettura',
  ocr: 'Lettura',
  analisi: 'Analisi',
  pronto: 'Pronto',
  da_verificare: 'Da verificare',
  errore: 'Non letto',
  annullato: 'Annullato',
}

type Reading = { state: Enums<'document_state'>; pages: number | null; pages_done: number }

/** «Pagina 3 di 8 (riconoscimento del testo)»: where the reading is. */
export function readingLabel({ state, pages, pages_done: done }: Reading): string {
  const isAtPages = (state === 'lettura' || state === 'ocr') && pages !== null && pages > 1
  const how = state === 'ocr' ? 'riconoscimento del testo' : 'lettura'
  if (isAtPages) return `Pagina ${Math.min(done + 1, pages)} di ${pages} (${how})`
  return state === 'ocr' ? 'Riconoscimento del testo' : documentStateLabels[state]
}

/** «2 pagine su 8 non lette»: what a document lacks. */
export const lostPagesLabel = (lost: number, pages: number): string =>
  `${lost} ${lost === 1 ? 'pagina' : 'pagine'} su ${pages} non ${lost === 1 ? 'letta' : 'lette'}`
