/** The cells of a row of contacts, read one by one: a cell that is wrong is told and left out, never the row. */
import type { ContactField } from '@/lib/contact-csv-columns'
import * as values from '@/lib/contact-values'
import { phoneNumber } from '@/lib/phone-numbers'
import { romeDay } from '@/lib/rome-time'

/** The texts of a contact before anybody looked at them; a field may have come from several columns. */
export type Draft = Partial<Record<ContactField, string[]>>

/** A cell worth a word: left out of its row, or `isKept` with a doubt. */
export type Remark = { row: number; field: ContactField; value: string; why: string; isKept: boolean }
export const LONGEST_NOTE = 20_000
export const LONGEST_LINE = 200
/** A remark in one line, as lists and notes show it. */
export const spoken = ({ why, value }: Pick<Remark, 'why' | 'value'>): string => `${why}: «${brief(value)}»`

const brief = (text: string): string => (text.length > 40 ? `${text.slice(0, 39)}…` : text)

export type Phone = { value: string; norm: string }
export type OnRemark = (field: ContactField, value: string, why: string, isKept?: boolean) => void

/** The cells of one row, each read once; a wrong one is told to `remark` and is null. */
export class Cells {
  readonly #draft: Draft
  readonly #remark: OnRemark
  readonly #today = romeDay(new Date())

  constructor(draft: Draft, remark: OnRemark) {
    this.#draft = draft
    this.#remark = remark
  }

  /** The first text, whatever breaks and signs of control a cell may hold. */
  one(field: ContactField): string | null {
    const text = this.#draft[field]?.[0]?.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim() || null
    if (!text || text.length <= LONGEST_LINE) return text
    this.#remark(field, text, `Supera i ${LONGEST_LINE} caratteri`)
    return null
  }

  checked<T>(field: ContactField, check: (typed: string) => T | null, why: string): T | null {
    const typed = this.one(field)
    const value = typed === null ? null : check(typed)
    if (typed !== null && value === null) this.#remark(field, typed, why)
    return value
  }

  day(field: ContactField, why: string): string | null {
    const past = (typed: string) => {
      const day = values.dayOf(typed, this.#today)
      return day && day <= this.#today ? day : null
    }
    return this.checked(field, past, why)
  }
}

export type Line = { field: ContactField; text: string }

/** Days and amounts that a contact has no column for; they never reach invoices or credits. */
export function linesOf(cells: Cells): Line[] {
  const days = { birthday: 'Data di nascita', client_since: 'Cliente dal' } as const
  const amounts = { revenue: 'Fatturato', balance: 'Saldo' } as const
  const lines: Line[] = []
  for (const [field, label] of Object.entries(days) as [keyof typeof days, string][]) {
    const day = cells.day(field, `${label}: data non valida`)
    if (day) lines.push({ field, text: `${label}: ${day.split('-').toReversed().join('/')}` })
  }
  for (const [field, label] of Object.entries(amounts) as [keyof typeof amounts, string][]) {
    const amount = cells.checked(field, values.amountOf, `${label}: importo non valido`)
    if (amount !== null) lines.push({ field, text: `${label}: ${euros.format(amount)}` })
  }
  return lines
}

const euros = new Intl.NumberFormat('it-IT', { style: 'currency', currency: 'EUR', useGrouping: 'always' })

export function emailsOf(draft: Draft, remark: OnRemark): string[] {
  const emails = split(draft.email, /[;,\s]+|:::/).filter((email) => {
    const isRight = values.isEmail(email)
    if (!isRight) remark('email', email, 'Email non valida')
    return isRight
  })
  return distinct(emails, (email) => email.toLowerCase())
}

export function tagsOf(draft: Draft, remark: OnRemark): string[] {
  const tags = new Set(split(draft.tags, /[;,|]|:::/).filter((tag) => tag !== '* myContacts'))
  return [...tags].filter((tag) => {
    if (tag.length > LONGEST_LINE) remark('tags', tag, `Supera i ${LONGEST_LINE} caratteri`)
    return tag.length <= LONGEST_LINE
  })
}

export async function phonesOf(draft: Draft, remark: OnRemark): Promise<Phone[]> {
  // A slash stands between two numbers, and in old habits behind the prefix: «06/1234567».
  const typed = split(draft.phone, /[;,\n]|:::/).flatMap((text) => {
    const halves = split([text], /\//)
    return halves.every((half) => half.replaceAll(/\D/g, '').length >= 6) ? halves : [text]
  })
  const read = await Promise.all(typed.map(async (value) => ({ value, norm: await phoneNumber(value) })))
  const phones: Phone[] = []
  for (const { value, norm } of read) {
    if (norm && value.length <= LONGEST_LINE) phones.push({ value, norm })
    else if (/\de\+\d/i.test(value)) remark('phone', value, 'Telefono arrotondato da Excel')
    else remark('phone', value, 'Telefono non valido')
  }
  return distinct(phones, ({ norm }) => norm)
}

export function addressOf(cells: Cells): Record<string, string> {
  const country = cells.one('country')
  const fields = {
    street: cells.one('street'),
    postal_code: cells.checked('postal_code', (typed) => values.postalCodeOf(typed, country), 'CAP non valido'),
    city: cells.one('city'),
    province: cells.one('province')?.replace(/^\((.+)\)$/, '$1'),
    country,
  }
  return Object.fromEntries(Object.entries(fields).flatMap(([key, value]) => (value ? [[key, value]] : [])))
}

function split(texts: string[] | undefined, separator: RegExp): string[] {
  return (texts ?? []).flatMap((text) => text.split(separator)).flatMap((part) => part.trim() || [])
}

function distinct<T>(all: T[], key: (value: T) => string): T[] {
  return [...new Map(all.map((value) => [key(value), value])).values()]
}
