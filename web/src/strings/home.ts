/** The words of the home screen. */
import type { BriefingLine } from '@/data/home'
import { formatCount } from '@/strings/numbers'

/** «1 fattura», «3 fatture». */
export const countText = (count: number, one: string, many: string): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`

export const briefingSections: Record<BriefingLine['section'], string> = {
  agenda: 'Agenda',
  soldi: 'Soldi',
  persone: 'Persone',
  rischi: 'Da tenere d’occhio',
}

/** What the button of an insight says; a kind with an action that is not here has no button. */
export const insightActions: Record<string, string> = {
  sollecito: 'Sollecita',
  promemoria: 'Ricorda',
  fattura: 'Apri la fattura',
  verifica: 'Verifica',
  collega: 'Collega',
  unisci: 'Confronta',
  attivita: 'Crea attività',
  risenti: 'Apri il contatto',
  contatto: 'Apri il contatto',
  contatti: 'Apri i contatti',
  rispondi: 'Rispondi',
  ripianifica: 'Apri le attività',
  ricarica: 'Ricarica',
  crediti: 'Vedi i crediti',
  forfettario: 'Apri le fatture',
  richiesta: 'Apri la richiesta',
}

/** Why somebody does not want an insight. */
export const refusals = ['Ci ho già pensato', 'Non è vero', 'Non mi interessa'] as const

/** What happened, by the kind of the timeline. */
export const activityKinds: Record<string, string> = {
  chiamata: 'Chiamata',
  email: 'Email',
  whatsapp: 'WhatsApp',
  incontro: 'Incontro',
  altro: 'Contatto',
  nota: 'Nota',
  consenso: 'Consenso',
  trattativa: 'Trattativa',
  unione: 'Unione',
  attivita: 'Attività',
  documento: 'Documento',
  pagamento: 'Pagamento',
}
