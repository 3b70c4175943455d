import { expect, test } from 'vitest'

import type { Catalog, Plan } from '@/data/catalog'
import built from '@/data/catalog.gen.json'
import { planCredits, planFeatures, planPrice } from '@/strings/plans'

const { plans } = built as Catalog
const [free, starter, pro, business] = plans as [Plan, Plan, Plan, Plan]

test('the credits of the plan without end come once, those of the others each month', () => {
  expect(plans.map(planCredits)).toEqual([
    '100 crediti alla registrazione',
    '500 crediti al mese',
    '2.000 crediti al mese',
    '10.000 crediti al mese',
  ])
})

test('a feature that is not there yet says so', () => {
  expect(planFeatures(business)).toContain('Funzioni per il team (in arrivo)')
  expect(planFeatures(pro)).toContain('Obiettivi autonomi con supervisore etico')
  expect(planFeatures(starter)).toContain('Email e WhatsApp collegati')
  expect(planFeatures(free)).toEqual(free.features)
})

test('nothing costs a round nothing', () => {
  expect(plans.map((plan) => planPrice(plan).replace('\u00A0', ' '))).toEqual(['0 €', '9,99 €', '29,99 €', '99,99 €'])
})
