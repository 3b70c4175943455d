/** Runs before every unit test file: an unexpected console.error or console.warn is a failure. */
import { cleanup } from '@testing-library/react'
import { afterEach, beforeEach, expect, vi } from 'vitest'

beforeEach(() => {
  vi.spyOn(console, 'error')
  vi.spyOn(console, 'warn')
})

afterEach(() => {
  cleanup()
  // A test that provokes an error replaces the spy and checks it by itself.
  expect.soft(console.error).not.toHaveBeenCalled()
  expect.soft(console.warn).not.toHaveBeenCalled()
})
