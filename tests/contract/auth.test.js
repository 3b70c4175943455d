/**
 * supabase-js against the running stack: every method of the auth client.
 * Started beside a stack: `python -m scripts.stack -- node --test tests/contract/auth.test.js`.
 */
import './auth/admin.js'
import './auth/codes.js'
import './auth/mfa.js'
import './auth/oauth-server.js'
import './auth/passkeys.js'
import './auth/passwords.js'
import './auth/providers.js'
import './auth/sessions.js'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { covered, publicMethods } from './auth/methods.js'

test('every public method of the client has tests', () => {
  assert.deepEqual([...covered.keys()].sort(), publicMethods(['auth']).sort())
})
