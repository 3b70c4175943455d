import { expect, test } from 'vitest'

import { between, keysBefore, placesAt, positionAt } from '@/lib/fractional-position'

const bytewise = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

test('a key lies between its neighbours, and the ends are open', () => {
  const first = between(null, null)
  const last = between(first, null)
  const start = between(null, first)
  const middle = between(first, last)
  expect([last, middle, start, first].toSorted(bytewise)).toEqual([start, first, middle, last])
})

test('a thousand rows put first, last or into the same gap keep their order and short keys', () => {
  let [low, high] = [between(null, null), between(between(null, null), null)]
  let [top, bottom] = [low, high]
  for (let count = 0; count < 1_000; count += 1) {
    const [above, below, inside] = [between(null, top), between(bottom, null), between(low, high)]
    expect(above < top && below > bottom && inside > low && inside < high).toBe(true)
    ;[top, bottom] = [above, below]
    if (count % 2) low = inside
    else high = inside
  }
  expect(Math.max(top.length, bottom.length)).toBeLessThan(5)
  expect(low.length).toBeLessThan(400)
})

test('neighbours with one key do not stop a move', () => {
  expect(between('a1', 'a1') > 'a1').toBe(true)
  const moved = positionAt(['a0', 'a1', 'a1', 'a2'], 2)
  expect(moved > 'a1' && moved < 'a2').toBe(true)
  expect(positionAt(['a0', 'a1'], 0) < 'a0').toBe(true)
  expect(positionAt([], 0)).toBe(between(null, null))
})

test('rows that are put before another one keep their order', () => {
  const keys = keysBefore('a0', 3)
  expect([...keys, 'a0'].toSorted(bytewise)).toEqual([...keys, 'a0'])
})

test.each([
  ['one key for all', ['a0', 'a0', 'a0', 'a0']],
  ['one key in the middle', ['Zz', 'a0', 'a0', 'a0', 'a1']],
  ['a key each', ['a0', 'a1', 'a2']],
  ['no other row', []],
])('a row comes to stand where it is put, and the others stay in order: %s', (_, positions) => {
  const others = positions.map((position, place) => ({ id: `row ${place}`, position }))
  for (let index = 0; index <= others.length + 1; index += 1) {
    const places = new Map(placesAt(others, 'moved', index).map(({ id, position }) => [id, position]))
    const rows = [...others, { id: 'moved', position: '' }].map(({ id, position }) => ({
      id,
      position: places.get(id) ?? position,
    }))
    const order = rows.toSorted((a, b) => bytewise(a.position, b.position) || bytewise(a.id, b.id)).map(({ id }) => id)
    const wanted = others.map(({ id }) => id)
    expect(order).toEqual(wanted.toSpliced(index, 0, 'moved'))
    expect(places.size).toBeLessThanOrEqual(1 + others.length / 2)
  }
})
