/**
 * What a person reads when the authentication service refuses: one Italian sentence per error code.
 *
 * The codes are the closed list of the service (https://supabase.com/docs/guides/auth/debugging/error-codes).
 * A code without an entry shows the server's own message, and a failure without a message the caller's fallback.
 */

/** The part of an auth-js error that decides the sentence. */
export type AuthFailure = {
  code?: string | undefined
  message?: string
  name?: string
  status?: number | undefined
  reasons?: string[]
}

const sentences: Record<string, string> = {
  invalid_credentials: 'Email o password errati. Hai dimenticato la password?',
  user_already_exists: 'Email già registrata',
  email_exists: 'Email già registrata',
  email_not_confirmed: 'Prima di accedere conferma il tuo indirizzo: apri il link che ti abbiamo inviato per email.',
  email_address_invalid: 'Email non valida',
  email_address_not_authorized: 'Non possiamo inviare email a questo indirizzo.',
  email_provider_disabled: 'L’accesso con email e password non è attivo.',
  signup_disabled: 'Le registrazioni sono chiuse in questo momento.',
  user_banned: 'Questo account è sospeso. Contatta il supporto.',
  user_not_found: 'Questo account non esiste più.',
  otp_expired: 'Il link o il codice è scaduto oppure è già stato usato.',
  otp_disabled: 'L’accesso con codice non è attivo.',
  same_password: 'La nuova password deve essere diversa da quella attuale.',
  weak_password: 'La password è troppo debole.',
  session_expired: 'La sessione è scaduta: accedi di nuovo.',
  session_not_found: 'La sessione è scaduta: accedi di nuovo.',
  refresh_token_not_found: 'La sessione è scaduta: accedi di nuovo.',
  refresh_token_already_used: 'La sessione è scaduta: accedi di nuovo.',
  bad_jwt: 'La sessione è scaduta: accedi di nuovo.',
  no_authorization: 'La sessione è scaduta: accedi di nuovo.',
  reauthentication_needed: 'Per questa modifica accedi di nuovo.',
  insufficient_aal: 'Per questa operazione serve il secondo fattore.',
  over_request_rate_limit: 'Troppi tentativi: aspetta qualche minuto e riprova.',
  over_email_send_rate_limit: 'Abbiamo già inviato troppe email: aspetta qualche minuto e riprova.',
  captcha_failed: 'La verifica anti-robot non è riuscita: riprova.',
  validation_failed: 'Controlla i dati inseriti e riprova.',
  bad_json: 'Controlla i dati inseriti e riprova.',
  request_entity_too_large: 'I dati inviati sono troppo grandi.',
  conflict: 'Un’altra operazione è in corso: riprova tra un momento.',
  request_timeout: 'Il server ha impiegato troppo tempo: riprova.',
  service_unavailable: 'Il servizio non risponde: riprova tra un momento.',
  unexpected_failure: 'Qualcosa non ha funzionato da parte nostra: riprova tra un momento.',
}

const unreachable = 'Non riusciamo a raggiungere il server: controlla la connessione e riprova.'

const weakness: Record<string, string> = {
  length: 'Password deve essere almeno 8 caratteri',
  characters: 'Password deve contenere almeno una maiuscola, una minuscola e un numero',
  pwned: 'Questa password compare in archivi rubati: scegline un’altra.',
}

/** What any thrown value says as an auth failure; bugs and strange values say nothing. */
export function asAuthFailure(thrown: unknown): AuthFailure {
  return thrown instanceof Error ? thrown : {}
}

/** The link or the code is used up or too old. */
export function isDeadLink(error: AuthFailure): boolean {
  return error.code === 'otp_expired'
}

/** The server refuses known pairs of address and password; the login offers the way to a new password. */
export function isWrongCredentials(error: AuthFailure): boolean {
  // Servers older than the error codes answer with this message alone (spec section 8).
  return error.code === 'invalid_credentials' || error.message === 'Invalid login credentials'
}

/** The sentence to show for `error`; `fallback` when the server gave neither a known code nor a message. */
export function authErrorMessage(error: AuthFailure, fallback: string): string {
  if (isWrongCredentials(error)) return sentences.invalid_credentials ?? fallback
  if (error.message?.includes('already registered')) return sentences.user_already_exists ?? fallback
  if (error.name === 'AuthRetryableFetchError' && !error.code) return unreachable
  if (error.code === 'over_email_send_rate_limit')
    return waitMessage(error.message) ?? sentences[error.code] ?? fallback
  if (error.code === 'weak_password' && error.reasons?.[0]) {
    return weakness[error.reasons[0]] ?? sentences.weak_password ?? fallback
  }
  return (error.code && sentences[error.code]) || error.message || fallback
}

/** "…you can only request this after 42 seconds." carries the only useful detail as a number. */
function waitMessage(message = ''): string | null {
  const seconds = /after (\d+) seconds/.exec(message)?.[1]
  if (!seconds) return null
  return `Ti abbiamo appena scritto: puoi chiedere un’altra email tra ${seconds} ${seconds === '1' ? 'secondo' : 'secondi'}.`
}
