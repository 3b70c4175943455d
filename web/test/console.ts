import { expect, vi } from 'vitest'

/** Runs `provoke`, which must write to the console by `method`, and takes those messages off the record. */
export async function expectConsole(method: 'error' | 'warn', provoke: () => void | Promise<void>): Promise<void> {
  const spy = vi.mocked(console[method]).mockReturnValue()
  await provoke()
  expect(spy).toHaveBeenCalled()
  spy.mockClear()
}
