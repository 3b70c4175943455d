import { fireEvent, render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'

import { ColumnsMenu, moved } from '@/features/crm/columns-menu'
import { columnIds, useListSettings } from '@/features/crm/list-settings'

function Menu({ userId }: { userId: string }) {
  const { settings, change } = useListSettings(userId)
  return (
    <>
      <output>{[settings.density, ...settings.columns].join(' ')}</output>
      <ColumnsMenu settings={settings} onChange={change} />
    </>
  )
}

const shown = () => screen.getByRole('status').textContent.split(' ')

test('chosen columns, their order and the density are remembered for this account alone', () => {
  const { unmount } = render(<Menu userId="anna" />)
  expect(shown()).toEqual(['compact', ...columnIds])
  fireEvent.click(screen.getByRole('button', { name: 'Colonne' }))
  fireEvent.click(screen.getByRole('checkbox', { name: 'Azienda' }))
  fireEvent.click(screen.getByRole('button', { name: 'Sposta «Ultimo contatto» prima' }))
  fireEvent.click(screen.getByRole('button', { name: 'Comoda' }))
  const expected = ['comfortable', 'last', 'owed', ...columnIds.slice(3)]
  expect(shown()).toEqual(expected)
  unmount()
  const other = render(<Menu userId="anna" />)
  expect(shown()).toEqual(expected)
  other.unmount()
  render(<Menu userId="luca" />)
  expect(shown()).toEqual(['compact', ...columnIds])
})

test('the first column does not move further up', () => {
  expect(moved(['owed', 'last'], 'owed', -1)).toEqual(['owed', 'last'])
  expect(moved(['owed', 'last'], 'owed', 1)).toEqual(['last', 'owed'])
})
