/**
 * Credits of a test's person that no screen moves.
 */
import type { Account } from './accounts'
import { ask } from './database'

/** Only the functions of the ledger touch it, and only a server's role may call them. */
const HOLD = "select private.hold_credits(user_id, balance, 'elsewhere') from public.credit_wallets where user_id = $1"

/** Something else holds all credits of `account`: none is left to spend. */
export function holdAllCredits(account: Account): void {
  ask(account, HOLD)
}
