import { beforeEach, expect, test, vi } from 'vitest'

const lost = new Error('Failed to fetch dynamically imported module')
const reload = vi.fn<() => void>()

/** The module of a document that has loaded nothing yet. */
async function open({ onLine }: { onLine: boolean }) {
  vi.resetModules()
  vi.stubGlobal('location', { reload })
  vi.stubGlobal('navigator', { onLine })
  return await import('@/lib/chunk')
}

beforeEach(() => reload.mockClear())

test('a chunk that fails once is tried again', async () => {
  const { loadChunk } = await open({ onLine: true })
  const load = vi.fn<() => Promise<string>>().mockRejectedValueOnce(lost).mockResolvedValue('page')
  await expect(loadChunk(load)).resolves.toBe('page')
  expect(reload).not.toHaveBeenCalled()
})

test('what an older build has lost is got with a new document', async () => {
  const { loadChunk } = await open({ onLine: true })
  await loadChunk(() => Promise.resolve('first page'))
  const waiting = loadChunk(() => Promise.reject(lost))
  await expect.poll(() => reload.mock.calls.length).toBe(1)
  await expect(Promise.race([waiting, Promise.resolve('still waiting')])).resolves.toBe('still waiting')
})

test('a document that got nothing yet is not loaded again', async () => {
  const { loadChunk } = await open({ onLine: true })
  await expect(loadChunk(() => Promise.reject(lost))).rejects.toBe(lost)
  expect(reload).not.toHaveBeenCalled()
})

test('nothing is loaded anew without a connection', async () => {
  const { loadChunk } = await open({ onLine: false })
  await loadChunk(() => Promise.resolve('first page'))
  await expect(loadChunk(() => Promise.reject(lost))).rejects.toBe(lost)
  expect(reload).not.toHaveBeenCalled()
})
