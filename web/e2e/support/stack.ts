/**
 * Where the running stack is: the file that `python -m scripts.stack` and `make run` write.
 */
import { readFileSync } from 'node:fs'

export type Credentials = { email: string; password: string }

export type Stack = {
  url: string
  mailbox_url: string
  mailbox_smtp_port: number
  /** Where mails to people's addresses are received. */
  inbound_smtp_port: number
  /** The page of the fake Meta. */
  meta_url: string
  /** The fake of a model's provider. */
  model_url: string
  publishable_key: string
  secret_key: string
  demo_user: Credentials
  demo_admin: Credentials
}

/** Reads the stack's addresses and keys; throws when no stack is named. */
export function readStack(): Stack {
  const path = process.env.SOCIO_RUN_JSON
  if (!path) throw new Error('SOCIO_RUN_JSON is not set: run through `python -m scripts.stack -- npm run e2e -w web`')
  return JSON.parse(readFileSync(path, 'utf8')) as Stack
}
