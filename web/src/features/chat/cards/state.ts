/** What a card shows: where its proposal stands, and what can still be done with it. */
import type { ToolCall } from '@/data/tool-calls'

/** open: it waits for a word; done: carried out; the rest says why nothing (more) happens. */
export type Stage = 'open' | 'done' | 'refused' | 'failed' | 'expired' | 'undone'

const stages: Record<ToolCall['state'], Stage> = {
  proposed: 'open',
  approved: 'done',
  edited: 'done',
  executed: 'done',
  rejected: 'refused',
  failed: 'failed',
  expired: 'expired',
  undone: 'undone',
}

type Dated = Pick<ToolCall, 'state' | 'expires_at' | 'undo' | 'undo_until'>

/** Where a proposal stands at `now`: what expired is closed on the screen before the server sweeps it. */
export function stageOf({ state, expires_at: expiresAt }: Dated, now: number): Stage {
  const stage = stages[state]
  return stage === 'open' && Date.parse(expiresAt) <= now ? 'expired' : stage
}

/** Whether what was done can be taken back at `now`; without a date for as long as it is there. */
export function canUndo({ state, undo, undo_until: until }: Dated, now: number): boolean {
  return state === 'executed' && undo !== null && (until === null || Date.parse(until) > now)
}

/** When what the card shows changes by itself next, in milliseconds from `now`; null when it never does. */
export function changesIn(call: Dated, now: number): number | null {
  const at = call.state === 'proposed' ? call.expires_at : canUndo(call, now) ? call.undo_until : null
  return at && Date.parse(at) > now ? Date.parse(at) - now : null
}
