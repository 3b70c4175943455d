import type { Belongings } from '@/data/chat-start'

const MOST = 4

/** Questions that have an answer in the person's own data; what is always possible fills up. */
export function examplesFor(own: Belongings): string[] {
  const fitting = [
    own.hasTasks && 'Che cosa ho da fare oggi?',
    own.hasInvoices && 'Quali fatture sono scadute?',
    own.hasDeals && 'Quanto ho in trattativa?',
    own.contact && `Riassumi ${own.contact}`,
    own.contact && 'Chi devo richiamare?',
    own.hasDocuments && 'Che cosa dice il contratto sui pagamenti?',
  ].filter((question) => typeof question === 'string')
  const always = ['Domani alle 15 chiama il commercialista', 'Quanti crediti mi restano?', 'Che cosa sai fare?']
  return [...fitting, ...always].slice(0, MOST)
}
