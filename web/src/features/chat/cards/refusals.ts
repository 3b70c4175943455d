/** Why the server did not do what a card asked for. */
import { FunctionError } from '@/lib/server-errors'

/** What is wrong with each corrected field, in Italian; none when it is about something else. */
export function fieldErrors(error: unknown): Record<string, string> {
  if (!(error instanceof FunctionError) || error.status !== 422) return {}
  const { fields } = error.details
  if (typeof fields !== 'object' || fields === null) return {}
  return Object.fromEntries(
    Object.entries(fields).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}

/** The sentence for a toast: the server's own, which says what to do. */
export function refusalText(error: unknown): string {
  if (error instanceof FunctionError && error.status < 500) return error.message
  return 'Non c’è collegamento: niente è cambiato. Riprova tra poco.'
}
