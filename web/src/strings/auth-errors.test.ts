import { expect, test } from 'vitest'

import { authErrorMessage, isWrongCredentials } from './auth-errors'

const fallback = 'Errore durante il login'

test.each([
  [
    'a code',
    { code: 'invalid_credentials', message: 'Invalid login credentials' },
    'Email o password errati. Hai dimenticato la password?',
  ],
  [
    'only the message of an old server',
    { message: 'Invalid login credentials' },
    'Email o password errati. Hai dimenticato la password?',
  ],
  ['a taken address', { code: 'user_already_exists', message: 'User already registered' }, 'Email già registrata'],
  [
    'a passkey that is there already',
    { code: 'webauthn_credential_exists', message: 'This credential is already registered' },
    'Questa passkey è già registrata.',
  ],
  ['a taken address without code', { message: 'User already registered' }, 'Email già registrata'],
  ['an unknown code', { code: 'strange', message: 'Something the server says' }, 'Something the server says'],
  ['neither code nor message', { message: '' }, fallback],
  [
    'no answer at all',
    { name: 'AuthRetryableFetchError', message: 'Failed to fetch', status: 0 },
    'Non riusciamo a raggiungere il server: controlla la connessione e riprova.',
  ],
  [
    'a mail asked for too early',
    {
      code: 'over_email_send_rate_limit',
      message: 'For security purposes, you can only request this after 42 seconds.',
    },
    'Ti abbiamo appena scritto: puoi chiedere un’altra email tra 42 secondi.',
  ],
  [
    'the hourly mail limit',
    { code: 'over_email_send_rate_limit', message: 'email rate limit exceeded' },
    'Abbiamo già inviato troppe email: aspetta qualche minuto e riprova.',
  ],
  [
    'a weak password with its reason',
    { code: 'weak_password', reasons: ['length'] },
    'Password deve essere almeno 8 caratteri',
  ],
  [
    'a passkey prompt that was closed',
    { code: 'ERROR_PASSTHROUGH_SEE_CAUSE_PROPERTY', name: 'NotAllowedError', message: 'The operation was not allowed' },
    'Operazione annullata o scaduta: riprova quando vuoi.',
  ],
  ['a weak password without reason', { code: 'weak_password', reasons: [] }, 'La password è troppo debole.'],
])('%s becomes the right sentence', (_, error, sentence) => {
  expect(authErrorMessage(error, fallback)).toBe(sentence)
})

test('only wrong credentials lead to the password recovery', () => {
  expect(isWrongCredentials({ code: 'invalid_credentials' })).toBe(true)
  expect(isWrongCredentials({ code: 'email_not_confirmed', message: 'Email not confirmed' })).toBe(false)
})
