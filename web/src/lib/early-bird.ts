/**
 * The early-bird countdown (SITE-21): 47 hours from the first visit, kept in this browser.
 *
 * Its seats are a formula over the time gone by, not a count of anything: `marketing.simulated_scarcity` says whether a
 * page may show it.
 */
import { useSyncExternalStore } from 'react'

import { local } from '@/lib/storage'

export const TOTAL_SEATS = 100
const SEATS_AT_START = 37
const TOTAL_HOURS = 47
const SECOND_MS = 1000
const HOUR_MS = 3600 * SECOND_MS
const TOTAL_MS = TOTAL_HOURS * HOUR_MS
const KEY = 'early_bird_ends_at'

export type Countdown = {
  /** What is left: whole hours, then minutes and seconds of the next one. */
  hours: number
  minutes: number
  seconds: number
  /** How long the offer lasts as a whole. */
  totalHours: number
  /** 37 plus 63 times the elapsed share, at most 100. */
  availableSpots: number
  isExpired: boolean
}

export function countdownAt(endMs: number, nowMs: number): Countdown {
  const leftMs = Math.max(0, endMs - nowMs)
  const elapsedShare = 1 - Math.min(leftMs / TOTAL_MS, 1)
  // A second that has begun is shown until it is over, so that 47:00:00 is seen and 00:00:00 means the end.
  const left = Math.ceil(leftMs / SECOND_MS)
  return {
    hours: Math.floor(left / 3600),
    minutes: Math.floor(left / 60) % 60,
    seconds: left % 60,
    totalHours: TOTAL_HOURS,
    availableSpots: Math.min(TOTAL_SEATS, Math.floor(SEATS_AT_START + (TOTAL_SEATS - SEATS_AT_START) * elapsedShare)),
    isExpired: leftMs === 0,
  }
}

/** When the offer ends in this browser; the first call starts it. An impossible value is a first visit too. */
export function earlyBirdEnd(nowMs: number): number {
  const stored = Number(local.getItem(KEY) ?? NaN)
  if (stored > 0 && stored <= nowMs + TOTAL_MS) return stored
  const end = nowMs + TOTAL_MS
  local.setItem(KEY, String(end))
  return end
}

let shown: Countdown | null = null
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

function tick(): void {
  const now = Date.now()
  shown = countdownAt(earlyBirdEnd(now), now)
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(tick, SECOND_MS)
  tick()
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

const never = () => () => undefined

/**
 * The countdown, second by second; null in prerendered HTML, which knows no first visit. Where it does not run nothing
 * is kept in this browser.
 */
export function useCountdown(isRunning: boolean): Countdown | null {
  return useSyncExternalStore(
    isRunning ? subscribe : never,
    () => (isRunning ? shown : null),
    () => null,
  )
}
