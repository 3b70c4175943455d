/** How many credits a habit needs in a month, and the cheapest honest answer to it. */
import type { CreditPrice, Pack } from '@/data/catalog'
import { totalCredits } from '@/lib/pack'

/** What somebody does in a week. */
export type Habit = { messages: number; deep: number; advice: number }

export type Advice =
  | { kind: 'none' }
  /** One pack lasts for so many months, at most its twelve. */
  | { kind: 'pack'; pack: Pack; months: number }
  /** More than the largest pack holds: so many of it each month. */
  | { kind: 'packs'; pack: Pack; count: number }

const WEEKS_PER_MONTH = 52 / 12
const VALID_MONTHS = 12

/** The dearest case: an estimate that turns out too high disappoints nobody. */
function cost(prices: CreditPrice[], action: string): number {
  return prices.find((price) => price.action === action)?.max_credits ?? 0
}

export function creditsPerMonth(habit: Habit, prices: CreditPrice[]): number {
  const perWeek =
    habit.messages * cost(prices, 'chat') +
    habit.deep * cost(prices, 'chat_deep') +
    habit.advice * cost(prices, 'advice')
  return Math.ceil(perWeek * WEEKS_PER_MONTH)
}

/** The smallest pack that carries a month. What comes for free comes once, and carries no month after the first. */
export function advise(credits: number, packs: Pack[]): Advice {
  if (credits === 0) return { kind: 'none' }
  const pack = packs.find((each) => totalCredits(each) >= credits)
  if (pack) return { kind: 'pack', pack, months: Math.min(VALID_MONTHS, Math.floor(totalCredits(pack) / credits)) }
  const largest = packs.at(-1)
  if (!largest) return { kind: 'none' }
  return { kind: 'packs', pack: largest, count: Math.ceil(credits / totalCredits(largest)) }
}
