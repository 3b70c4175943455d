import { expect, test } from 'vitest'

import { activityOfAteco, flatRateActivities } from '@/strings/flat-rate'

test.each([
  ['74.12.01', 'redditivita_professioni'],
  ['62.10.00', 'redditivita_altre'],
  ['46.18.99', 'redditivita_intermediari'],
  ['46.21.00', 'redditivita_commercio'],
  ['47.81.01', 'redditivita_commercio'],
  ['47.82.01', 'redditivita_ambulanti'],
  ['56.11.11', 'redditivita_ristorazione'],
  ['43.21.01', 'redditivita_costruzioni'],
  ['68.31.00', 'redditivita_costruzioni'],
  ['10.71.10', 'redditivita_alimentari'],
  ['67.00.00', 'redditivita_altre'],
])('ATECO %s is of the kind %s', (code, kind) => {
  expect(activityOfAteco(code)).toBe(kind)
  expect(flatRateActivities.map(([name]) => name)).toContain(kind)
})
