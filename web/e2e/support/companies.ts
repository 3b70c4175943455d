/** Companies among the contacts of a test's account. */
import type { Account } from './accounts'
import { ask } from './database'

/** «Neri srl», a client of `account`, with its address if it has one; its id. */
export function addCompany(account: Account, address?: string): string {
  const id = ask(
    account,
    "insert into public.contacts (user_id, type, business_name) values ($1, 'azienda', 'Neri srl') returning id::text",
  ).trim()
  if (address)
    ask(account, `insert into public.contact_emails (user_id, contact_id, value) values ($1, '${id}', '${address}')`)
  return id
}
