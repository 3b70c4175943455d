import { fireEvent, render, screen, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'

import { BarChart } from '@/components/charts/bar-chart'
import { Funnel } from '@/components/charts/funnel'
import { Gauge } from '@/components/charts/gauge'
import { LineChart } from '@/components/charts/line-chart'

beforeEach(() => {
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe = () => undefined
      disconnect = () => undefined
    },
  )
})

const table = {
  caption: 'Per mese',
  head: ['Mese', 'Dentro'],
  rows: [
    ['ott', '1'],
    ['nov', '2'],
  ],
}
const points = [
  { label: 'ott', sentence: 'ottobre: 1', values: { paid: 1, open: 0 } },
  { label: 'nov', sentence: 'novembre: 2', values: { paid: 0, open: -2 } },
]
const series = [
  { key: 'paid', name: 'incassato', tone: 'plain' },
  { key: 'open', name: 'da incassare', tone: 'striped' },
] as const

test.each([
  ['bars', BarChart],
  ['lines', LineChart],
])('%s are chosen by one slider that tells the sentence, and stand in a table', (_what, Chart) => {
  const onInteract = vi.fn<() => void>()
  const all = { label: 'Mese', points, series, first: 1, table, onInteract }
  const { container } = render(<Chart {...all} />)
  const slider = screen.getByRole('slider', { name: 'Mese' })
  expect(slider.getAttribute('aria-valuetext')).toBe('novembre: 2')
  fireEvent.change(slider, { target: { value: '0' } })
  fireEvent.change(slider, { target: { value: '1' } })
  fireEvent.change(slider, { target: { value: '0' } })
  expect(slider.getAttribute('aria-valuetext')).toBe('ottobre: 1')
  expect(onInteract).toHaveBeenCalledTimes(1)
  const rows = within(screen.getByRole('table', { name: 'Per mese', hidden: true })).getAllByRole('row', {
    hidden: true,
  })
  expect(rows.map((row) => row.textContent)).toEqual(['MeseDentro', 'ott1', 'nov2'])
  expect(screen.getByText('da incassare')).toBeDefined()
  // A negative amount is no bar below the line.
  for (const rect of container.querySelectorAll('rect'))
    expect(Number(rect.getAttribute('height'))).toBeGreaterThanOrEqual(0)
})

test('a funnel is a list of its stages', () => {
  render(
    <Funnel
      label="Trattative per fase"
      stages={[
        { key: 'a', name: 'Contatto', value: 100, text: '1 trattativa' },
        { key: 'b', name: 'Preventivo', value: 50, text: '2 trattative' },
      ]}
    />,
  )
  const items = within(screen.getByRole('list', { name: 'Trattative per fase' })).getAllByRole('listitem')
  expect(items.map((item) => item.textContent)).toEqual(['Contatto1 trattativa', 'Preventivo2 trattative'])
})

test('a gauge tells its value in words, and stops at its limit', () => {
  render(<Gauge label="Incassato" value={120} limit={100} warning={85} text="120 %" sentence="120 di 100" />)
  const meter = screen.getByRole('meter', { name: 'Incassato' })
  expect(meter.getAttribute('aria-valuetext')).toBe('120 di 100')
  expect(meter.getAttribute('aria-valuenow')).toBe('100')
})
