import { expect, test } from 'vitest'

import catalog from '@/data/catalog.gen.json'
import { bonusStack } from '@/features/landing/bonus-stack'
import { HOURLY_RATE, habits, lostTime } from '@/features/landing/lost-time'
import { faq, FAQ_ON_LANDING } from '@/strings/faq'

const { claims } = catalog

test('the lost time of the page as it opens', () => {
  const minutes = habits.reduce((sum, habit) => sum + habit.minutes, 0)
  expect(lostTime(minutes, HOURLY_RATE)).toEqual({ hours: 275, euros: 8250, recoveredHours: 92, recoveredEuros: 2750 })
})

test('nothing lost is nothing to recover', () => {
  expect(lostTime(0, 100)).toEqual({ hours: 0, euros: 0, recoveredHours: 0, recoveredEuros: 0 })
})

test('the parts of the bonus stack add up to its value in the catalogue, credits included', () => {
  expect(bonusStack.reduce((sum, { euros }) => sum + euros, 0)).toBe(claims['bonus.stack_value'].value)
  expect(bonusStack[0].euros).toBe(claims['bonus.value'].value)
})

test('there are eight questions and the landing page shows four, as the catalogue says', () => {
  expect(faq).toHaveLength(claims['faq.all'].value)
  expect(FAQ_ON_LANDING).toBe(claims['faq.on_landing'].value)
})

test('no savings contradict the prices they are reckoned from', () => {
  const tools =
    12 * (claims['competitors.chat'].value + claims['competitors.notes'].value + claims['competitors.crm'].value)
  expect(Math.round(tools - 12 * claims['early_bird.price'].value)).toBe(claims['savings.table'].value)
  expect(Math.round(tools - 12 * claims['standard.price'].value)).toBe(claims['savings.tools'].value)
  expect(12 * (claims['standard.price'].value - claims['early_bird.price'].value)).toBeCloseTo(
    claims['savings.early_bird'].value,
  )
})
