/** What the register shows, as the address says it. */
import type { RegisterWish } from '@/data/invoices'
import { addDays, addMonths } from '@/lib/rome-time'

export const states = (isIncoming: boolean): Record<RegisterWish['state'], string> => ({
  aperte: isIncoming ? 'Da incassare' : 'Da pagare',
  pagate: isIncoming ? 'Incassate' : 'Pagate',
  tutte: 'Tutte',
})

export const periods = {
  tutto: 'Sempre',
  mese: 'Questo mese',
  'mese-scorso': 'Mese scorso',
  trimestre: 'Questo trimestre',
  'trimestre-scorso': 'Trimestre scorso',
  anno: 'Quest’anno',
  'anno-scorso': 'Anno scorso',
} as const
export type Period = keyof typeof periods

const directions = { attive: 'attiva', passive: 'passiva' } as const

const isOneOf = <T extends object>(known: T, value: string | null): value is string & keyof T =>
  value !== null && value in known

/** First and last day of a period that contains or precedes `today`; empty without limit. */
export function limitsOf(period: Period, today: string): { from: string; to: string } {
  const quarter = addMonths(today, -((Number(today.slice(5, 7)) - 1) % 3))
  const year = `${today.slice(0, 4)}-01-01`
  const [from, months] = {
    tutto: ['', 0] as const,
    mese: [addMonths(today, 0), 1] as const,
    'mese-scorso': [addMonths(today, -1), 1] as const,
    trimestre: [quarter, 3] as const,
    'trimestre-scorso': [addMonths(quarter, -3), 3] as const,
    anno: [year, 12] as const,
    'anno-scorso': [addMonths(year, -12), 12] as const,
  }[period]
  return { from, to: from && addDays(addMonths(from, months), -1) }
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** `usual` is the direction when the address names none. */
export function wishFrom(
  params: URLSearchParams,
  today: string,
  usual: RegisterWish['direction'] = 'attiva',
): { wish: RegisterWish; period: Period } {
  const named = params.get('periodo')
  const period = isOneOf(periods, named) ? named : 'tutto'
  const state = params.get('stato')
  const kind = params.get('tipo')
  const contactId = params.get('contatto') ?? ''
  return {
    period,
    wish: {
      direction: isOneOf(directions, kind) ? directions[kind] : usual,
      state: isOneOf(states(false), state) ? state : 'aperte',
      ...limitsOf(period, today),
      ...(UUID.test(contactId) && { contactId }),
    },
  }
}
