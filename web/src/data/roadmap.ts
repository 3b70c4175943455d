/** What is planned, under way and done; the page and the landing page's teaser say what these rows say. */

import type { CapabilityKey } from '@/strings/capabilities'

export type RoadmapState = 'fatto' | 'in corso' | 'previsto'

export type RoadmapItem = {
  title: string
  text: string
  /** As announced, and never moved afterwards. */
  quarter: string
  /** The last day of that quarter. */
  due: string
  state: RoadmapState
  /** What it brings; the list of capabilities says whether it is there. */
  capability?: CapabilityKey
}

/** The day on which somebody last compared the rows with reality: what was due before it and is not done is late. */
export const reviewedOn = '2026-11-30'

export const roadmap: RoadmapItem[] = [
  {
    title: 'Beta con i primi 100 utenti',
    text: 'Un gruppo piccolo, ascoltato ogni settimana: quello che manca finisce in questa pagina.',
    quarter: 'Q1 2026',
    due: '2026-03-31',
    state: 'in corso',
  },
  {
    title: 'App mobile',
    text: 'La beta per iPhone e Android: gli avvisi, la voce e la fotocamera per i documenti. Nel frattempo Socio si aggiunge alla schermata del telefono dal browser.',
    quarter: 'Q1 2026',
    due: '2026-03-31',
    state: 'previsto',
    capability: 'mobileApp',
  },
  {
    title: 'Base sicura',
    text: 'Account con passkey e secondo fattore, dati separati persona per persona, documenti caricati in modo che una rete lenta non li perda.',
    quarter: 'Q4 2026',
    due: '2026-12-31',
    state: 'fatto',
  },
  {
    title: 'Cinque agenti',
    text: 'Logico, creativo, strategico, etico ed esecutore ragionano sulla stessa domanda e ti consegnano una risposta con il verbale.',
    quarter: 'Q4 2026',
    due: '2026-12-31',
    state: 'fatto',
    capability: 'advice',
  },
  {
    title: 'Crediti e store',
    text: 'Pacchetti senza abbonamento, estratto conto movimento per movimento, recesso con un pulsante.',
    quarter: 'Q4 2026',
    due: '2026-12-31',
    state: 'fatto',
  },
  {
    title: 'Recupero crediti con mandato',
    text: 'Un agente prepara i solleciti delle fatture scadute, entro i limiti che scrivi tu: prima la prova sul tuo passato, poi le approvazioni, sempre il registro di ciò che ha fatto e non ha fatto.',
    quarter: 'Q4 2026',
    due: '2026-12-31',
    state: 'fatto',
    capability: 'creditRecovery',
  },
  {
    title: 'Autonomia per obiettivi, con supervisione',
    text: 'Scegli un obiettivo: leggi il piano con passi, costi e limiti, dai il mandato, e un supervisore etico controlla ogni passo.',
    quarter: 'Q4 2026',
    due: '2026-12-31',
    state: 'fatto',
    capability: 'autonomy',
  },
  {
    title: 'Email e WhatsApp collegati',
    text: 'Colleghi la casella di posta, la PEC e il numero WhatsApp Business: Socio riconosce i contatti e tiene le conversazioni accanto a clienti e fatture. Niente parte senza il tuo sì.',
    quarter: 'Q4 2026',
    due: '2026-12-31',
    state: 'fatto',
    capability: 'channels',
  },
  {
    title: 'Esportare o cancellare tutti i dati',
    text: 'Un archivio con tutto quello che Socio sa di te e della tua attività, e la chiusura dell’account: due pulsanti nelle Impostazioni.',
    quarter: 'Q4 2026',
    due: '2026-12-31',
    state: 'fatto',
    capability: 'exportAll',
  },
  {
    title: 'Centro di comando multi-agente',
    text: 'Una schermata sola per vedere che cosa fa ogni agente, quanto costa e fermarlo.',
    quarter: 'Q4 2026',
    due: '2026-12-31',
    state: 'fatto',
    capability: 'commandCentre',
  },
]

export function isLate({ state, due }: RoadmapItem): boolean {
  return state !== 'fatto' && due < reviewedOn
}
