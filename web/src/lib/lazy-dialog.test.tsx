import { act, render, screen } from '@testing-library/react'
import type { ComponentType } from 'react'
import { toast } from 'sonner'
import { expect, test, vi } from 'vitest'

import { lazyDialog } from '@/lib/lazy-dialog'

type Props = { onClose: () => void; name: string }

test('a dialog whose code is lost closes, says so, and is tried again when it is opened again', async () => {
  const say = vi.spyOn(toast, 'error')
  const load = vi.fn<() => Promise<{ default: ComponentType<Props> }>>()
  load.mockRejectedValueOnce(new Error('Failed to fetch dynamically imported module: /a.js'))
  const Dialog = lazyDialog(load)
  const onClose = vi.fn<() => void>()
  const { rerender } = render(
    <main>
      La pagina <Dialog name="primo" onClose={onClose} />
    </main>,
  )
  await vi.waitFor(() => expect(onClose).toHaveBeenCalledTimes(1))
  expect(say.mock.calls[0]?.[0]).toBe('Non siamo riusciti ad aprire la finestra')
  expect(screen.getByText('La pagina')).toBeDefined()

  rerender(<main>La pagina</main>)
  load.mockResolvedValueOnce({ default: ({ name }: Props) => <p>Finestra {name}</p> })
  await act(async () => rerender(<Dialog name="secondo" onClose={onClose} />))
  expect(await screen.findByText('Finestra secondo')).toBeDefined()
  expect(onClose).toHaveBeenCalledTimes(1)
})
