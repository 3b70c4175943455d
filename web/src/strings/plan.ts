/** Words for the plan of a goal: functions/_shared/goals/plans.py says what each of its fields is. */
import type { Agent, Autonomy, Plan, PlannedStep } from '@/data/goals'
import { credits } from '@/strings/credits'
import { agents, channelWords, tones } from '@/strings/goals'
import { countText } from '@/strings/home'
import { formatEuro } from '@/strings/numbers'

/** What of the mandate stops it; `cents` and `aDay` null while they are not valid. */
export type StopLimits = { autonomy: Autonomy; cents: number | null; aDay: number | null }

const days = (count: number): string => countText(count, 'giorno', 'giorni')

/** «Promemoria, 3 giorni prima della scadenza». */
export function stepTitle(agent: Agent, { key, tool, days: at }: Pick<PlannedStep, 'key' | 'tool' | 'days'>): string {
  if (agent === 'recupero_crediti' && at !== null) {
    const name = { 1: 'Promemoria', 2: 'Primo sollecito', 3: 'Secondo sollecito', 4: 'Ultimo sollecito' }[key]
    return `${name ?? 'Sollecito'}, ${days(Math.abs(at))} ${at < 0 ? 'prima della' : 'dopo la'} scadenza`
  }
  if (agent === 'segui_preventivi' && at !== null)
    return key === '1' ? `Chiede notizie dopo ${days(at)} di silenzio` : `Chiede ancora dopo altri ${days(at)}`
  if (tool === 'merge') return 'Unisce i contatti doppi'
  return agent === 'chiusura_mese'
    ? 'Crea un’attività per ogni cosa da sistemare nel mese prima'
    : 'Crea un’attività per i dati che mancano'
}

/** «Per email, tono cortese». */
export function stepWay({ tool, channel, tone }: PlannedStep): string {
  if (channel === null) return tool === 'merge' ? 'Cambia la tua rubrica' : 'Nelle tue attività'
  const way = channelWords[channel]
  const fee = channel === 'whatsapp' ? ', con l’eventuale tariffa di Meta' : ''
  return `${way.charAt(0).toUpperCase()}${way.slice(1)}, tono ${tones[tone]}${fee}`
}

export function stepAsks({ asks, tool }: Pick<PlannedStep, 'asks' | 'tool'>): string {
  if (asks) return 'Aspetta il tuo sì'
  return tool === 'mail' ? 'Parte senza chiedere, nei limiti del mandato' : 'Nasce senza chiedere'
}

export function stepUndo({ undo }: Pick<PlannedStep, 'undo'>): string {
  if (undo === null) return 'Non si può annullare'
  if (undo.s !== undefined) return `Si annulla entro ${undo.s} secondi, poi no`
  return undo.days === undefined ? 'Si elimina quando vuoi' : `Si annulla per ${days(undo.days)}`
}

export function planCost({ max_credits: most }: Plan): string {
  return most === 0
    ? 'Gratis: non usa crediti.'
    : `Al massimo ${credits(most)} per i testi dell’assistente, poi si ferma e ti chiede. Il resto è gratis.`
}

export function planHours(agent: Agent, plan: Plan): string {
  const [from, until] = plan.mail_hours
  const when = agent === 'chiusura_mese' ? `Nei primi ${plan.closing_days} giorni del mese, ogni` : 'Ogni'
  const looks = `${when} mattina alle ${plan.plans_at} cerca che cosa c’è da fare`
  if (agents[agent].action === 'mail')
    return `${looks}. I messaggi partono tra le ${from} e le ${until}, mai la domenica e nei festivi.`
  return `${looks}${plan.most_a_day ? `: al massimo ${plan.most_a_day} cose al giorno` : ''}.`
}

const ends: Record<Agent, string> = {
  recupero_crediti: 'Appena la fattura risulta pagata: si ferma anche ciò che non è ancora partito.',
  segui_preventivi: 'Appena il cliente risponde o sposti la trattativa.',
  pulizia_contatti: 'Quando il contatto è già a posto.',
  chiusura_mese: 'Quando la fattura è già a posto.',
}

/** What stops it or makes it ask, most likely first. */
export function planStops(agent: Agent, plan: Plan, { autonomy, cents, aDay }: StopLimits): string[] {
  const isMail = agents[agent].action === 'mail'
  const asksAbove =
    isMail && autonomy !== 'proponi' && cents !== null && aDay !== null
      ? [
          `Oltre ${formatEuro(cents)} per messaggio o ${countText(aDay, 'messaggio', 'messaggi')} al giorno chiede a te.`,
        ]
      : []
  return [
    ends[agent],
    ...(isMail
      ? [
          'Se il cliente non vuole più messaggi, o manca l’indirizzo.',
          `Dopo ${plan.most_messages_a_week} messaggi in sette giorni allo stesso cliente chiede a te.`,
        ]
      : []),
    ...asksAbove,
    ...(agent === 'recupero_crediti' ? ['Un IBAN che non hai confermato blocca sempre il messaggio.'] : []),
    ...(plan.max_credits > 0 ? [`A ${credits(plan.max_credits)} usati.`] : []),
    `Con ${plan.most_approvals_a_day} proposte da leggere in un giorno aspetta il giorno dopo.`,
    'Quando revochi il mandato, lo metti in pausa o premi «Ferma tutto».',
  ]
}
