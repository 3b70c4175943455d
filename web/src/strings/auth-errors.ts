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
  reauthentication_needed: 'Per questa modifica conferma che sei tu: ti mandiamo un codice per email.',
  reauthentication_not_valid: 'Il codice di conferma è sbagliato o scaduto.',
  current_password_required: 'Per questa modifica scrivi anche la password attuale.',
  current_password_invalid: 'La password attuale non è giusta.',
  insufficient_aal: 'Per questa operazione serve il secondo fattore.',
  mfa_verification_failed: 'Il codice non è giusto o è già stato usato: aspetta il prossimo e riprova.',
  mfa_verification_rejected: 'La verifica è stata rifiutata: riprova più tardi.',
  mfa_challenge_expired: 'È passato troppo tempo: riprova.',
  mfa_ip_address_mismatch: 'La connessione è cambiata durante la verifica: riprova.',
  mfa_factor_not_found: 'Questo secondo fattore non esiste più.',
  mfa_factor_name_conflict: 'Hai già un secondo fattore con questo nome: scegline un altro.',
  mfa_verified_factor_exists: 'Questo secondo fattore è già attivo.',
  too_many_enrolled_mfa_factors: 'Hai già il numero massimo di secondi fattori: togline uno per aggiungerne un altro.',
  mfa_totp_enroll_not_enabled: 'Le app di autenticazione non sono attive in questo momento.',
  mfa_totp_verify_not_enabled: 'Le app di autenticazione non sono attive in questo momento.',
  mfa_phone_enroll_not_enabled: 'La verifica per telefono non è attiva.',
  mfa_phone_verify_not_enabled: 'La verifica per telefono non è attiva.',
  mfa_webauthn_enroll_not_enabled: 'Le chiavi di sicurezza non sono attive in questo momento.',
  mfa_webauthn_verify_not_enabled: 'Le chiavi di sicurezza non sono attive in questo momento.',
  mfa_recovery_codes_enroll_not_enabled: 'I codici di recupero non sono attivi in questo momento.',
  mfa_recovery_codes_verify_not_enabled: 'I codici di recupero non sono attivi in questo momento.',
  mfa_recovery_codes_locked: 'Troppi codici sbagliati: riprova tra un quarto d’ora.',
  mfa_recovery_codes_sole_factor:
    'I codici di recupero non bastano da soli: prima cancellali o aggiungi un altro fattore.',
  passkey_disabled: 'Le passkey non sono attive in questo momento.',
  too_many_passkeys: 'Hai già il numero massimo di passkey: eliminane una per aggiungerne un’altra.',
  webauthn_credential_exists: 'Questa passkey è già registrata.',
  webauthn_credential_not_found: 'Questa passkey non è più registrata: accedi con la password.',
  webauthn_challenge_not_found: 'È passato troppo tempo: riprova.',
  webauthn_challenge_expired: 'È passato troppo tempo: riprova.',
  webauthn_verification_failed: 'La verifica della passkey non è riuscita: riprova.',
  ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED: 'Su questo dispositivo c’è già una passkey del tuo account.',
  ERROR_INVALID_DOMAIN: 'A questo indirizzo il browser non permette passkey e chiavi: apri Socio dal suo nome.',
  ERROR_INVALID_RP_ID: 'A questo indirizzo il browser non permette passkey e chiavi: apri Socio dal suo nome.',
  ERROR_CEREMONY_ABORTED: 'Operazione annullata.',
  manual_linking_disabled: 'Collegare altri account non è possibile in questo momento.',
  identity_already_exists: 'Questo account è già collegato a un’altra persona.',
  identity_not_found: 'Questo account non è più collegato.',
  single_identity_not_deletable: 'È l’unico modo che hai per entrare: prima aggiungine un altro.',
  email_conflict_identity_not_deletable:
    'Non si può scollegare: l’indirizzo email che resterebbe è di un altro account.',
  provider_disabled: 'Questo modo di accedere non è attivo.',
  oauth_provider_not_supported: 'Questo modo di accedere non è attivo.',
  oauth_authorization_not_found: 'Questa richiesta è scaduta: torna all’applicazione e riparti da lì.',
  oauth_consent_not_found: 'Questa applicazione non ha più accesso.',
  provider_email_needs_verification: 'Prima conferma il tuo indirizzo: apri il link che ti abbiamo inviato per email.',
  bad_oauth_state: 'L’accesso è durato troppo o è stato interrotto: riprova.',
  bad_oauth_callback: 'L’altro servizio non ha risposto come previsto: riprova.',
  flow_state_not_found: 'L’accesso è durato troppo o è stato interrotto: riprova.',
  flow_state_expired: 'L’accesso è durato troppo o è stato interrotto: riprova.',
  flow_state_already_used: 'Questo accesso è già stato completato: riprova dall’inizio.',
  bad_code_verifier: 'L’accesso è stato iniziato in un altro browser: riprova da qui.',
  access_denied: 'Non hai dato il permesso: l’accesso non è avvenuto.',
  // Ours: lib/session-link.ts refuses a link that would change who is signed in.
  other_session: 'Questo link è di un altro account: esci da quello di ora, poi aprine uno nuovo.',
  user_sso_managed: 'Questi dati li gestisce la tua azienda.',
  phone_provider_disabled: 'L’accesso per telefono non è attivo.',
  phone_exists: 'Questo numero è già registrato.',
  phone_not_confirmed: 'Prima conferma il tuo numero con il codice che ti abbiamo mandato.',
  sms_send_failed: 'Non siamo riusciti a inviare l’SMS: riprova tra un momento.',
  over_sms_send_rate_limit: 'Abbiamo già inviato troppi SMS: aspetta qualche minuto e riprova.',
  anonymous_provider_disabled: 'Per continuare crea un account.',
  invite_not_found: 'L’invito è scaduto oppure è già stato usato.',
  hook_timeout: 'Il server ha impiegato troppo tempo: riprova.',
  hook_timeout_after_retry: 'Il server ha impiegato troppo tempo: riprova.',
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

const cancelled = 'Operazione annullata o scaduta: riprova quando vuoi.'

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
  // Servers older than the error codes answer with this message alone (LOGIN-08).
  return error.code === 'invalid_credentials' || error.message === 'Invalid login credentials'
}

/** The sentence to show for `error`; `fallback` when the server gave neither a known code nor a message. */
export function authErrorMessage(error: AuthFailure, fallback: string): string {
  if (isWrongCredentials(error)) return sentences.invalid_credentials ?? fallback
  // Browsers say the same for a refusal, a timeout and a missing passkey, so as not to tell which it was.
  if (error.name === 'NotAllowedError') return cancelled
  // Before its code was there; a passkey that is already registered has a sentence of its own.
  if (!error.code && error.message?.includes('already registered')) return sentences.user_already_exists ?? fallback
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
