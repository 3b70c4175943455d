import { expect, test } from 'vitest'

import { campaignPrice } from '@/strings/whatsapp'

const euro = (least: number, most: number) => ({ currency: 'EUR', least_micros: least, most_micros: most })
/** With plain spaces. */
const said = (...[price]: Parameters<typeof campaignPrice>) => campaignPrice(price).replaceAll(/\s/g, ' ')

test('the price of a campaign is a range, one amount, or not known', () => {
  expect(said({ sums: [euro(3_200_000, 4_100_000)], unpriced: 0 })).toBe('da 3,20 € a 4,10 €')
  expect(said({ sums: [euro(3_200_000, 3_200_000)], unpriced: 0 })).toBe('3,20 €')
  expect(said({ sums: [euro(30_000, 30_000)], unpriced: 2 })).toBe('0,03 €, più 2 messaggi di prezzo non noto')
  expect(said({ sums: [], unpriced: 4 })).toBe('prezzo non noto')
})
