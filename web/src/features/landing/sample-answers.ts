/**
 * The little trial of the landing page: questions about a sample business, answered in the browser with sources.
 *
 * No model and no server: words of the question choose among the rows, sums are reckoned from them, and what it does
 * not understand it says.
 */
import { fold } from '@/lib/fold'
import { formatEuro } from '@/strings/numbers'

type Source = { title: string; detail: string }
export type Answer = { text: string; sources: Source[] }

type Row = {
  kind: 'fattura' | 'preventivo' | 'scadenza'
  title: string
  client: string | null
  cents: number
  /** Days from today: negative is past. A quote's is the day it was sent. */
  days: number
  isPaid?: boolean
}

export const rows: readonly Row[] = [
  { kind: 'fattura', title: 'Fattura 18', client: 'Ottica Bianchi', cents: 125_000, days: -12 },
  { kind: 'fattura', title: 'Fattura 21', client: 'Officina Nord', cents: 64_000, days: -3 },
  { kind: 'fattura', title: 'Fattura 12', client: 'Panificio Rinaldi', cents: 48_000, days: -1, isPaid: true },
  { kind: 'fattura', title: 'Fattura 24', client: 'Studio Belli', cents: 90_000, days: 18 },
  { kind: 'preventivo', title: 'Preventivo 31', client: 'Studio Belli', cents: 240_000, days: -6 },
  { kind: 'preventivo', title: 'Preventivo 33', client: 'Ottica Bianchi', cents: 70_000, days: -1 },
  { kind: 'scadenza', title: 'Bozza del sito', client: 'Officina Nord', cents: 0, days: 1 },
  { kind: 'scadenza', title: 'Modello F24', client: null, cents: 31_200, days: 4 },
]

export const suggestions = ['Fatture scadute', 'Chi devo richiamare?', 'Che cosa scade questa settimana?']

const unpaid = rows.filter(({ kind, isPaid }) => kind === 'fattura' && !isPaid)
const WEEK = 7

/** In order: the first whose words are in the question answers it. */
const topics: { words: RegExp; answer: () => Answer }[] = [
  { words: /fattur|incass|pagat|pagament|insolut|soldi/, answer: overdue },
  { words: /richiam|preventiv|rispost|risponde|sollecit/, answer: waiting },
  { words: /scad|settiman|doman|oggi|f24|consegn|impegn/, answer: thisWeek },
]

/** A row by its title («fattura 18») goes first, then a client's name, then a topic. */
export function answerTo(question: string): Answer {
  const text = fold(question)
  const row = rows.find(({ title }) => new RegExp(`\\b${fold(title)}\\b`).test(text))
  if (row) return { text: `${row.title}: ${source(row).detail}.`, sources: [source(row)] }
  const client = rows.find((each) =>
    fold(each.client ?? '')
      .split(' ')
      .some((word) => word && text.includes(word)),
  )
  if (client?.client) return about(client.client)
  return topics.find(({ words }) => words.test(text))?.answer() ?? notUnderstood
}

const notUnderstood: Answer = {
  text: 'Questa prova capisce poche domande, su un’attività di esempio: fatture, preventivi, scadenze, o il nome di un cliente. Nel tuo account Socio lavora sui tuoi dati.',
  sources: [],
}

function overdue(): Answer {
  const late = unpaid.filter(({ days }) => days < 0)
  const oldest = late[0]
  const total = late.reduce((sum, { cents }) => sum + cents, 0)
  return {
    text: `Hai ${late.length} fatture scadute, ${formatEuro(total)} in tutto. La più vecchia è di ${oldest?.client}, da ${-(oldest?.days ?? 0)} giorni: comincerei da lì.`,
    sources: late.map(source),
  }
}

function waiting(): Answer {
  const quotes = rows.filter(({ kind }) => kind === 'preventivo')
  const first = quotes[0]
  return {
    text: `${first?.client} non risponde da ${-(first?.days ?? 0)} giorni al preventivo da ${formatEuro(first?.cents ?? 0)}. Ti preparo un messaggio breve, lo invii tu.`,
    sources: quotes.map(source),
  }
}

function thisWeek(): Answer {
  const due = rows.filter(({ kind, days }) => kind === 'scadenza' && days <= WEEK)
  return {
    text: `In settimana hai ${due.length} scadenze: ${due.map(({ title, days }) => `${title}, ${when(days)}`).join('; ')}.`,
    sources: due.map(source),
  }
}

function about(client: string): Answer {
  const own = rows.filter((row) => row.client === client)
  const open = unpaid.filter((row) => row.client === client).reduce((sum, { cents }) => sum + cents, 0)
  const balance = open ? `deve ancora ${formatEuro(open)}` : 'non ha nulla da pagare'
  return {
    text: `${client}: ${own.length} ${own.length === 1 ? 'voce' : 'voci'}, ${balance}.`,
    sources: own.map(source),
  }
}

function source({ kind, title, client, cents, days, isPaid }: Row): Source {
  const state = {
    fattura: isPaid ? 'pagata' : days < 0 ? 'scaduta' : 'scade',
    preventivo: 'inviato',
    scadenza: 'scade',
  }
  const parts = [client, cents ? formatEuro(cents) : null, `${state[kind]} ${when(days)}`]
  return { title, detail: parts.filter(Boolean).join(' · ') }
}

function when(days: number): string {
  switch (days) {
    case -1:
      return 'ieri'
    case 0:
      return 'oggi'
    case 1:
      return 'domani'
    default:
      return days < 0 ? `${-days} giorni fa` : `tra ${days} giorni`
  }
}
