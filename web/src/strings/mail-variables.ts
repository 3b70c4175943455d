/**
 * What a template of a mail can say of what it is about: the one list of its places, with their words and where the value
 * comes from. The first four are those of private.campaign_letters, too.
 */
import { longDay } from '@/strings/days'
import { formatMoney } from '@/strings/numbers'

/** What a mail is about, as far as it is known; a null has no value. */
export type MailAbout = {
  contact: { firstName: string | null; lastName: string | null; name: string; company: string | null }
  me: { name: string | null; business: string | null }
  invoice: {
    number: string
    issuedOn: string
    currency: string
    totalCents: number
    openCents: number
    lateCents: number
    dueOn: string | null
  } | null
  deal: { title: string; cents: number; currency: string } | null
  /** The day it is in Italy. */
  today: string
}

type MailVariable = {
  /** What stands between {{ and }}. */
  name: string
  label: string
  valueOf: (about: MailAbout) => string | null
}

/** By where the value comes from. */
export const mailVariables: { source: string; variables: MailVariable[] }[] = [
  {
    source: 'Dal contatto',
    variables: [
      { name: 'nome', label: 'Nome', valueOf: ({ contact }) => contact.firstName },
      { name: 'cognome', label: 'Cognome', valueOf: ({ contact }) => contact.lastName },
      { name: 'contatto', label: 'Nome completo o ragione sociale', valueOf: ({ contact }) => contact.name },
      { name: 'azienda', label: 'Azienda', valueOf: ({ contact }) => contact.company },
    ],
  },
  {
    source: 'Dal tuo profilo',
    variables: [
      { name: 'mio nome', label: 'Il tuo nome', valueOf: ({ me }) => me.name },
      { name: 'mia attività', label: 'La tua attività', valueOf: ({ me }) => me.business },
    ],
  },
  {
    source: 'Dalla fattura',
    variables: [
      { name: 'numero fattura', label: 'Numero', valueOf: ({ invoice }) => invoice && invoice.number },
      { name: 'data fattura', label: 'Data', valueOf: ({ invoice }) => invoice && longDay(invoice.issuedOn) },
      {
        name: 'importo fattura',
        label: 'Totale',
        valueOf: ({ invoice }) => invoice && formatMoney(invoice.totalCents, invoice.currency),
      },
      { name: 'importo da pagare', label: 'Importo scaduto o ancora da pagare', valueOf: openAmount },
      {
        name: 'scadenza fattura',
        label: 'Scadenza',
        valueOf: ({ invoice }) => (invoice?.dueOn ? longDay(invoice.dueOn) : null),
      },
    ],
  },
  {
    source: 'Dalla trattativa',
    variables: [
      { name: 'trattativa', label: 'Titolo', valueOf: ({ deal }) => deal && deal.title },
      {
        name: 'valore trattativa',
        label: 'Valore',
        // A deal without a value has zero.
        valueOf: ({ deal }) => (deal && deal.cents > 0 ? formatMoney(deal.cents, deal.currency) : null),
      },
    ],
  },
  {
    source: 'Dal calendario',
    variables: [{ name: 'oggi', label: 'La data di oggi', valueOf: ({ today }) => longDay(today) }],
  },
]

/** Of an invoice in parts what is late, as in the reminders; nothing once it is paid. */
function openAmount({ invoice }: MailAbout): string | null {
  const cents = invoice && (invoice.lateCents || invoice.openCents)
  return cents ? formatMoney(cents, invoice.currency) : null
}

const all = mailVariables.flatMap(({ variables }) => variables)

export const isMailVariable = (name: string): boolean => all.some((variable) => variable.name === name)

/** The values by name, as far as there are any. */
export function mailValues(about: MailAbout): Map<string, string> {
  return new Map(
    all.flatMap(({ name, valueOf }): [string, string][] => {
      const value = valueOf(about)?.trim()
      return value ? [[name, value]] : []
    }),
  )
}

/** What the preview of a template is about. */
export function exampleAbout(me: MailAbout['me'], today: string): MailAbout {
  return {
    contact: { firstName: 'Marta', lastName: 'Neri', name: 'Marta Neri', company: 'Neri srl' },
    me: { name: me.name ?? 'Anna Bianchi', business: me.business ?? 'Studio Bianchi' },
    invoice: {
      number: '12/2026',
      issuedOn: '2026-09-15',
      currency: 'EUR',
      totalCents: 122_000,
      openCents: 122_000,
      lateCents: 122_000,
      dueOn: '2026-10-15',
    },
    deal: { title: 'Sito web', cents: 350_000, currency: 'EUR' },
    today,
  }
}
