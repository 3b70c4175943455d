/** The waiting list of the early bird, through its function; light, for the landing page. */
import { clientConfig } from '@/lib/config'

/** What the server said against it, in words for the person. */
export class WaitingListError extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/** @throws WaitingListError with the server's words, or ours when it cannot be reached. */
async function post(action: string, body: object): Promise<void> {
  const { supabaseUrl, publishableKey } = clientConfig()
  let answer: Response
  try {
    answer = await fetch(`${supabaseUrl}/functions/v1/join_waiting_list${action}`, {
      method: 'POST',
      headers: { apikey: publishableKey, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
  } catch {
    throw new WaitingListError('unreachable', 'Non riusciamo a raggiungere il server. Riprova tra poco.')
  }
  if (answer.ok) return
  const refusal = await refusalIn(answer)
  if (answer.status >= 500 || !refusal?.message) {
    throw new WaitingListError('unexpected_failure', 'Qualcosa non ha funzionato da noi. Riprova tra poco.')
  }
  throw new WaitingListError(refusal.code, refusal.message)
}

/** Null for what is no JSON: something on the way has refused, not our server. */
async function refusalIn(answer: Response): Promise<{ code: string; message: string } | null> {
  try {
    return (await answer.json()) as { code: string; message: string } | null
  } catch {
    return null
  }
}

/** Asks for the mail that confirms; says nothing about whether the address was known. */
export const joinWaitingList = (email: string) => post('', { email, consent: true })
export const confirmWaitingList = (token: string) => post('/confirm', { token })
export const leaveWaitingList = (token: string) => post('/leave', { token })
