import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { MemoryRouter, useLocation } from 'react-router'
import { expect, test } from 'vitest'

import { CommandPalette } from '@/features/layout/command-palette'

function Here() {
  return <p>at {useLocation().pathname}</p>
}

function start() {
  render(
    <MemoryRouter initialEntries={['/home']}>
      <CommandPalette />
      <Here />
    </MemoryRouter>,
  )
  return userEvent.setup()
}

test('Ctrl+K, a few letters and Enter lead to a page', async () => {
  const user = start()
  await user.keyboard('{Control>}k{/Control}')
  await user.type(screen.getByRole('combobox', { name: 'Vai a' }), 'noti{Enter}')
  expect(screen.getByText('at /notifications')).toBeDefined()
  expect(screen.queryByRole('dialog')).toBeNull()
})

test('the arrows move through the pages and around the end', async () => {
  const user = start()
  await user.keyboard('{Meta>}k{/Meta}')
  await user.keyboard('{ArrowDown}')
  expect(screen.getByRole('option', { selected: true }).textContent).toBe('CRM')
  await user.keyboard('{ArrowUp}{ArrowUp}')
  expect(screen.getByRole('option', { selected: true }).textContent).toBe('Crediti')
})

test('letters that fit nothing say so, and Escape closes', async () => {
  const user = start()
  await user.keyboard('{Control>}k{/Control}')
  await user.keyboard('zzz{Enter}')
  expect(screen.getByText('Nessuna pagina con questo nome.')).toBeDefined()
  await user.keyboard('{Escape}')
  expect(screen.queryByRole('dialog')).toBeNull()
  expect(screen.getByText('at /home')).toBeDefined()
})
