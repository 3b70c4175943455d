/**
 * Runs of the assistant whose process dies: what the database knows of them.
 */
import type { Account } from './accounts'
import { ask } from './database'

const LET_A_MINUTE_PASS = `
  update public.runs set heartbeat_at = now() - interval '61 seconds' where user_id = $1 and state = 'running'`
const SWEEP = 'select private.sweep_runs(10, $1)'
const EVENTS = `
  select coalesce(jsonb_agg(data), '[]') from private.run_events
  where run_id in (select id from public.runs where user_id = $1)`

/** Lets the minute pass after which the sweep ends what nobody works on; answers how many answers of `account` it ended. */
export function sweepRuns(account: Account): number {
  return Number(ask(account, LET_A_MINUTE_PASS, SWEEP))
}

/** What is kept of the answers that `account` is being given; what was told a tenth of a second ago may not be yet. */
export function keptEvents(account: Account): string {
  return ask(account, EVENTS)
}
