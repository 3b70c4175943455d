/** Runs before every unit test file: browser parts that jsdom lacks, and silence of the console as a condition. */
import { setImmediate } from 'node:timers/promises'

import { cleanup, configure } from '@testing-library/react'
import { toast } from 'sonner'
import { afterEach, beforeEach, expect, vi } from 'vitest'

window.__SOCIO__ = { supabaseUrl: 'http://127.0.0.1:54321', publishableKey: 'sb_publishable_test' }
window.matchMedia ??= (query) => Object.assign(new EventTarget(), { matches: false, media: query }) as MediaQueryList
window.scrollTo = () => undefined
// Whoever asks without a network of its own (network.ts) waits for ever: a refusal would be tried again, later.
window.fetch = () => new Promise(() => undefined)

// What is loaded by its first use takes longer than the second of the default on a busy machine.
configure({ asyncUtilTimeout: 10_000 })

beforeEach(() => {
  vi.spyOn(console, 'error')
  vi.spyOn(console, 'warn')
})

afterEach(async () => {
  cleanup()
  // The next document would show them again, with their buttons.
  toast.dismiss()
  // What a component was about to ask is asked now, and not of the network of the next test.
  await setImmediate()
  localStorage.clear()
  // A test that provokes a message says so with expectConsole.
  expect.soft(console.error).not.toHaveBeenCalled()
  expect.soft(console.warn).not.toHaveBeenCalled()
  vi.unstubAllGlobals()
})
