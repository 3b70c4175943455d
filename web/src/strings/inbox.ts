/** Words of received mail: warnings, what wrote it, and the beginning of an answer. */
import type { MailWarning } from '@/data/inbox'
import type { Enums } from '@/data/tables'
import { romeDay } from '@/lib/rome-time'
import { longDay } from '@/strings/days'
import { formatMoney } from '@/strings/numbers'

export const mailKinds: Record<Enums<'mail_kind'>, string> = {
  persona: '',
  automatica: 'Risposta automatica',
  lista: 'Lista o newsletter',
  rimbalzo: 'Mancata consegna',
}

export function warningText({ kind, value, known }: MailWarning): string {
  switch (kind) {
    case 'iban':
      return `Il messaggio contiene l’IBAN ${value}, diverso da quello che conosci (${known}). Telefona prima di pagare.`
    case 'domain':
      return `Il dominio ${value} somiglia a ${known}, ma non è quello: può non essere chi sembra.`
    case 'dmarc':
      return `Il messaggio non supera il controllo di ${value} (DMARC): può averlo scritto qualcun altro.`
  }
}

/** «R: » once, however often it was answered. */
export const answerSubject = (subject: string) => `Re: ${subject.replace(/^(?:(?:re|r|rif)\s*:\s*)+/i, '')}`

type Invoice = {
  number: string
  direction: Enums<'invoice_direction'>
  issued_on: string
  total_cents: number
  due_cents: number | null
  currency: string
  paid_on: string | null
  schedules: { due_on: string | null; paid_on: string | null }[]
}

/** What is known of an invoice, as a sentence for whoever asks about it. */
export function invoiceFact(invoice: Invoice, today: string): string {
  const { number, direction, issued_on: issuedOn, paid_on: paidOn, currency, schedules } = invoice
  const cents = invoice.due_cents ?? invoice.total_cents
  const name = direction === 'attiva' ? 'La fattura' : 'La vostra fattura'
  const what = `${name} n. ${number} del ${longDay(issuedOn)}, di ${formatMoney(cents, currency)},`
  if (paidOn) return `${what} risulta pagata il ${longDay(paidOn)}.`
  const dueOn = schedules.find(({ paid_on: paid }) => !paid)?.due_on
  const open = `${what} risulta ancora da pagare`
  return dueOn ? `${open}: ${dueOn < today ? 'scadeva' : 'scade'} il ${longDay(dueOn)}.` : `${open}.`
}

/** A draft with what is known, which its writer completes. */
export function answerDraft(name: string, from: string, invoice: Invoice | null, today = romeDay(new Date())): string {
  const facts = invoice ? invoiceFact(invoice, today) : ''
  return `Buongiorno ${name},\n\ngrazie per il messaggio.\n\n${facts}\n\nCordiali saluti\n${from}`
}
