/** The letters that remind a client of an invoice, by what it is about and how late it is. */
import { ibanInFours } from '@/lib/iban'
import { longDay } from '@/strings/days'
import { formatMoney } from '@/strings/numbers'

type Invoice = {
  number: string
  cents: number
  currency: string
  issuedOn: string
  dueOn: string
  /** Null before its due date. */
  lateDays: number | null
  /** Where it is paid to, where that is sure. */
  payTo?: PayTo | null
}

/** `holder`: in whose name the account is, where that is not the name under the letter. */
export type PayTo = { iban: string; holder: string | null }

type Letter = { subject: string; body: string }
type Words = { hello: string; remind: string; ignore: string; ask: string; demand: string; bye: string }

/** Later than that, a letter no longer asks. */
const FIRM_DAYS = 30

const toCompanies: Words = {
  hello: 'Spett.le',
  remind: 'Vi ricordo che',
  ignore: 'Se il pagamento è già partito, non tenete conto di questo messaggio.',
  ask: 'Mi fate sapere quando pensate di poterla pagare?',
  demand: 'Vi chiedo di saldarla entro sette giorni, o di dirmi entro quella data come intendete procedere.',
  bye: 'Cordiali saluti',
}

const toPeople: Words = {
  hello: 'Gentile',
  remind: 'Le ricordo che',
  ignore: 'Se il pagamento è già partito, non tenga conto di questo messaggio.',
  ask: 'Mi fa sapere quando pensa di poterla pagare?',
  demand: 'Le chiedo di saldarla entro sette giorni, o di dirmi entro quella data come intende procedere.',
  bye: 'Un cordiale saluto',
}

function paragraphs(words: Words, { number, cents, currency, issuedOn, dueOn, lateDays }: Invoice): string[] {
  const what = `la fattura n. ${number} del ${longDay(issuedOn)}, di ${formatMoney(cents, currency)},`
  if (lateDays === null) return [`${words.remind} ${what} scade il ${longDay(dueOn)}.`, words.ignore]
  const capital = `L${what.slice(1)}`
  if (lateDays < FIRM_DAYS)
    return [`${capital} risulta ancora da saldare: scadeva il ${longDay(dueOn)}.`, `${words.ask} ${words.ignore}`]
  return [`${capital} è scaduta il ${longDay(dueOn)}, da ${lateDays} giorni, e non risulta pagata.`, words.demand]
}

function account({ payTo }: Invoice): string[] {
  if (!payTo) return []
  const holder = payTo.holder && ` (intestato a ${payTo.holder})`
  return [`IBAN per il bonifico: ${ibanInFours(payTo.iban)}${holder ?? ''}`]
}

/** A company is addressed with «voi», a person with «Lei». */
export function reminderLetter(to: string, isCompany: boolean, from: string, invoice: Invoice): Letter {
  const words = isCompany ? toCompanies : toPeople
  const what = invoice.lateDays === null ? 'Promemoria di pagamento' : 'Sollecito di pagamento'
  const [reason, ...rest] = paragraphs(words, invoice)
  const bye = [words.bye, from].filter(Boolean).join('\n')
  return {
    subject: `${what}: fattura ${invoice.number}`,
    body: [`${words.hello} ${to},`, reason, ...account(invoice), ...rest, bye].join('\n\n'),
  }
}
