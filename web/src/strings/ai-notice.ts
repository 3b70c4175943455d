/** The notice on AI that a person gives to a client (L. 23 settembre 2025, n. 132, art. 13), written from counts. */
import type { AiNotice, AiStep, NoticeSubject } from '@/data/ai-notice'
import { dayAndMonth } from '@/strings/dates'
import { formatCount } from '@/strings/numbers'

/** `business`: what the name is on paper, in one line. */
type Writer = { name: string; business?: string; at: string }

const NOBODY = 'senza fornitore esterno (modalità locale)'

function giver({ mode, provider, model }: AiStep): string {
  if (mode !== 'ia') return NOBODY
  return `con ${provider ?? 'un fornitore non annotato'}${model === null ? '' : ` (modello ${model})`}`
}

const counted = (times: number, one: string, many: string): string =>
  times === 1 ? one : `${formatCount(times)} ${many}`

/** What a person looked at, of letters that an agent sent. */
function review({ times, reviewed }: AiStep): string {
  if (reviewed >= times)
    return times === 1 ? 'approvato da me prima dell’invio' : 'approvati da me uno per uno prima dell’invio'
  const some = counted(reviewed, '1 approvato', 'approvati')
  return `${some} da me prima dell’invio, gli altri inviati entro limiti fissati da me`
}

function stepLine(step: AiStep): string {
  switch (step.step) {
    case 'answer':
      return `Ricerca e analisi: ${counted(step.times, '1 risposta', 'risposte')} dell’assistente ${giver(step)}, che ho valutato io`
    case 'transcript':
      return `Trascrizione di messaggi vocali: ${formatCount(step.times)}, ${giver(step)}`
    case 'draft':
      return `Bozze di messaggi: ${formatCount(step.times)}, ${giver(step)}, rilette e approvate da me`
    case 'letter':
      if (step.mode === 'ia')
        return `Testi di messaggi preparati per un agente: ${formatCount(step.times)}, ${giver(step)}, inviati solo dopo la mia approvazione`
      return `Messaggi preparati da un agente automatico con regole fisse: ${formatCount(step.times)}, ${NOBODY}, ${review(step)}`
    default:
      return `Lettura automatica di documenti: ${formatCount(step.times)}, ${NOBODY}; i dati incerti mi vengono segnalati`
  }
}

function providerLines(steps: AiStep[]): string[] {
  const providers = new Set(steps.flatMap(({ mode, provider }) => (mode === 'ia' ? [provider ?? 'Il fornitore'] : [])))
  if (providers.size === 0)
    return ['Nessun fornitore: i dati non sono usciti verso fornitori di intelligenza artificiale.']
  return Array.from(
    providers,
    (name) => `${name} ha ricevuto le domande e i dati necessari per rispondere, solo per la singola richiesta.`,
  )
}

/** The notice as paragraphs; a list is one with «–» before each line. */
export function aiNoticeText(kind: NoticeSubject['kind'], { name, steps }: AiNotice, writer: Writer): string {
  const head = [
    'INFORMATIVA SULL’USO DI SISTEMI DI INTELLIGENZA ARTIFICIALE',
    '(art. 13 della legge 23 settembre 2025, n. 132)',
    '',
    `${kind === 'contact' ? 'Cliente' : 'Progetto'}: ${name}`,
    ...(writer.name ? [`Da: ${writer.name}`] : []),
    ...(writer.business ? [writer.business] : []),
    `Data: ${dayAndMonth(writer.at)}`,
    '',
  ]
  const end = [
    'L’elenco viene dai registri d’uso di Socio alla data indicata. Non comprende strumenti usati fuori da Socio.',
    'Per ogni chiarimento sono a disposizione.',
  ]
  if (steps.length === 0) {
    const none = `Per questo ${kind === 'contact' ? 'cliente' : 'progetto'} non risulta alcun uso di sistemi di intelligenza artificiale con Socio, il programma con cui gestisco il lavoro.`
    return [...head, none, '', ...end].join('\n')
  }
  const times = steps.flatMap(({ first_at: first, last_at: last }) => [first, last]).toSorted()
  return [
    ...head,
    'Uso Socio, un programma con funzioni di intelligenza artificiale, solo come supporto: il lavoro resta prevalentemente mio, decido io e rispondo dei risultati.',
    '',
    `Dal ${dayAndMonth(times[0] ?? writer.at)} al ${dayAndMonth(times.at(-1) ?? writer.at)} è servito per:`,
    ...steps.map((step) => `– ${stepLine(step)}`),
    '',
    'Chi ha ricevuto i dati:',
    ...providerLines(steps).map((line) => `– ${line}`),
    '',
    ...end,
  ].join('\n')
}
