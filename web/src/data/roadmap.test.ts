import { expect, test } from 'vitest'

import { isLate, roadmap } from '@/data/roadmap'

const lateTitles = roadmap.filter(isLate).map(({ title }) => title)

test('everything announced for Q1 2026 is late unless it is done', () => {
  const announced = roadmap.filter(({ quarter, state }) => quarter === 'Q1 2026' && state !== 'fatto')
  expect(announced.length).toBeGreaterThan(0)
  expect(lateTitles).toEqual(announced.map(({ title }) => title))
  expect(lateTitles).toContain('App mobile')
})

test('what is done was never late, and what is due later is not late yet', () => {
  for (const item of roadmap.filter(({ state, due }) => state === 'fatto' || due >= '2026-12-31')) {
    expect(isLate(item)).toBe(false)
  }
})

test('the quarter and the day it ends on agree', () => {
  for (const { quarter, due } of roadmap) {
    const [, number, year] = /^Q([1-4]) (\d{4})$/.exec(quarter) ?? []
    expect(due.startsWith(`${year}-${String(Number(number) * 3).padStart(2, '0')}-`)).toBe(true)
  }
})
