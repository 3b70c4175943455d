import { act, renderHook } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'

import { addUploads, pauseUpload, removeUpload, resumeUpload, useUploads } from '@/data/uploads'
import type { Transfer } from '@/lib/resumable-upload'

const startTransfer = vi.hoisted(() => vi.fn<() => Promise<Transfer>>())
vi.mock('@/lib/resumable-upload', () => ({ startTransfer }))

const transfer = {
  pause: vi.fn<() => Promise<void>>(() => Promise.resolve()),
  resume: vi.fn<() => void>(),
  cancel: vi.fn<() => Promise<void>>(() => Promise.resolve()),
}

/** One upload whose code is still loading. */
function begun() {
  const code = Promise.withResolvers<Transfer>()
  startTransfer.mockReturnValueOnce(code.promise)
  const [id = ''] = addUploads({
    userId: 'anna',
    files: [new File(['x'], 'a.txt')],
    onArrival: () => Promise.resolve(),
  })
  const { result } = renderHook(useUploads)
  const arrive = () =>
    act(async () => {
      code.resolve(transfer)
      await code.promise
    })
  return { id, arrive, lose: () => act(() => code.reject(new Error('no chunk'))), shown: () => result.current[0] }
}

beforeEach(() => void vi.clearAllMocks())

test('paused and resumed while its code loads, a file is sent once', async () => {
  const { id, arrive, shown } = begun()
  act(() => pauseUpload(id))
  act(() => resumeUpload(id))
  await arrive()
  expect(startTransfer).toHaveBeenCalledOnce()
  expect(transfer.pause).not.toHaveBeenCalled()
  expect(shown()).toMatchObject({ state: 'sending' })
  act(() => removeUpload(id))
  expect(transfer.cancel).toHaveBeenCalledOnce()
})

test('paused while its code loads, it waits for the person and then goes on', async () => {
  const { id, arrive } = begun()
  act(() => pauseUpload(id))
  await arrive()
  expect(transfer.pause).toHaveBeenCalledOnce()
  act(() => resumeUpload(id))
  expect(transfer.resume).toHaveBeenCalledOnce()
  act(() => removeUpload(id))
})

test('given up while its code loads, it is cancelled', async () => {
  const { id, arrive } = begun()
  act(() => removeUpload(id))
  await arrive()
  expect(transfer.cancel).toHaveBeenCalledOnce()
})

test('paused before its code is lost, it stays paused', async () => {
  const { id, lose, shown } = begun()
  act(() => pauseUpload(id))
  await lose()
  expect(shown()).toMatchObject({ state: 'paused' })
  act(() => removeUpload(id))
})

test('whose code does not come has failed, and may be tried again', async () => {
  const { id, lose, shown } = begun()
  await lose()
  expect(shown()).toMatchObject({ state: 'failed', failure: 'unreachable' })
  startTransfer.mockResolvedValueOnce(transfer)
  act(() => resumeUpload(id))
  expect(startTransfer).toHaveBeenCalledTimes(2)
  await act(() => Promise.resolve())
  act(() => removeUpload(id))
})
