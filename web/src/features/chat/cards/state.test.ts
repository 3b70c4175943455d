import { expect, test } from 'vitest'

import type { ToolCall } from '@/data/tool-calls'
import { canUndo, changesIn, stageOf } from '@/features/chat/cards/state'

const NOW = Date.parse('2026-11-20T10:00:00Z')
const call = (change: Partial<ToolCall>) => ({
  state: 'proposed' as const,
  expires_at: '2026-11-27T10:00:00Z',
  undo: null,
  undo_until: null,
  ...change,
})

test.each([
  ['proposed', 'open'],
  ['executed', 'done'],
  ['rejected', 'refused'],
  ['failed', 'failed'],
  ['expired', 'expired'],
  ['undone', 'undone'],
] as const)('a proposal that is %s shows as %s', (state, stage) => {
  expect(stageOf(call({ state }), NOW)).toBe(stage)
})

test('a proposal closes when its time is over, although nobody swept it', () => {
  const late = call({ expires_at: '2026-11-20T10:00:00Z' })
  expect(stageOf(late, NOW)).toBe('expired')
  expect(stageOf(late, NOW - 1)).toBe('open')
  expect(changesIn(late, NOW - 1)).toBe(1)
})

test('what was done can be taken back until its hour, or always without one', () => {
  const done = { state: 'executed' as const, undo: { id: 'x' } }
  expect(canUndo(call({ ...done, undo_until: '2026-11-20T10:00:01Z' }), NOW)).toBe(true)
  expect(canUndo(call({ ...done, undo_until: '2026-11-20T10:00:00Z' }), NOW)).toBe(false)
  expect(canUndo(call(done), NOW)).toBe(true)
  expect(canUndo(call({ ...done, undo: null }), NOW)).toBe(false)
  expect(changesIn(call(done), NOW)).toBeNull()
  expect(changesIn(call({ ...done, undo_until: '2026-11-20T10:00:01Z' }), NOW)).toBe(1_000)
})
