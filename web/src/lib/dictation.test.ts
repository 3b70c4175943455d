import { act, renderHook } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'

import { canDictate, useDictation } from '@/lib/dictation'

class Recognition extends EventTarget {
  static last: Recognition
  lang = ''
  start = vi.fn<() => void>()
  stop = vi.fn<() => void>(() => this.dispatchEvent(new Event('end')))

  constructor() {
    super()
    Recognition.last = this
  }
}

afterEach(() => vi.unstubAllGlobals())

test('a browser without speech recognition cannot dictate', () => {
  expect(canDictate()).toBe(false)
})

test('Italian words arrive from one press to the next', () => {
  vi.stubGlobal('SpeechRecognition', Recognition)
  expect(canDictate()).toBe(true)
  const onWords = vi.fn<(words: string) => void>()
  const { result } = renderHook(() => useDictation({ onWords, onError: vi.fn<(error: string) => void>() }))
  act(() => result.current.toggle())
  const { last } = Recognition
  expect(last.start).toHaveBeenCalledOnce()
  expect(last.lang).toBe('it-IT')
  const spoken = Object.assign([{ transcript: ' domani alle nove ' }], { isFinal: true })
  last.dispatchEvent(Object.assign(new Event('result'), { resultIndex: 0, results: [spoken] }))
  expect(onWords).toHaveBeenCalledExactlyOnceWith('domani alle nove')
  act(() => result.current.toggle())
  expect(last.stop).toHaveBeenCalledOnce()
  expect(result.current.isListening).toBe(false)
})
