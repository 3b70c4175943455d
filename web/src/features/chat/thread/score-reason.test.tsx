import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'

import { ScoreReason } from '@/features/chat/thread/score-reason'

test('a reason is chosen, told in words, or left out', async () => {
  const [user, onSend, onClose] = [userEvent.setup(), vi.fn<(reason: string) => void>(), vi.fn<() => void>()]
  render(<ScoreReason onSend={onSend} onClose={onClose} />)
  const send = screen.getByRole<HTMLButtonElement>('button', { name: 'Invia il motivo' })
  expect(send.disabled).toBe(true)
  await user.click(screen.getByRole('button', { name: 'Salta' }))
  expect(onClose).toHaveBeenCalledOnce()
  await user.click(screen.getByRole('button', { name: 'Dati sbagliati' }))
  await user.type(screen.getByLabelText('Con parole tue'), ' il totale non torna ')
  await user.click(send)
  expect(onSend).toHaveBeenCalledExactlyOnceWith('Dati sbagliati: il totale non torna')
  expect(screen.getByRole('status').textContent).toContain('Grazie')
})
