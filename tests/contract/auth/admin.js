/** What the server may do with accounts, and nobody else. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codesOf } from './authenticators.js'
import { works } from './methods.js'
import {
  admin,
  answered,
  asPerson,
  lives,
  mailsTo,
  newAddress,
  newClient,
  PASSWORD,
  person,
  refused,
  run,
  tokenHash,
} from './stack.js'

const UNKNOWN = '00000000-0000-4000-8000-000000000000'

const notForPeople = async (call) => refused(await call(await asPerson((await person()).client)), 403, 'not_admin')

works('auth.admin.createUser', () => {
  test('makes a confirmed account', async () => {
    const email = newAddress()
    const params = {
      email,
      password: PASSWORD,
      email_confirm: true,
      app_metadata: { plan: 'pro' },
      user_metadata: { city: 'Roma' },
    }
    const { user } = answered(await admin.createUser(params))
    assert.ok(user.email_confirmed_at)
    assert.deepEqual([user.app_metadata.plan, user.user_metadata.city], ['pro', 'Roma'])
    answered(await newClient().auth.signInWithPassword({ email, password: PASSWORD }))
    refused(await admin.createUser(params), 422, 'email_exists')
  })

  test('takes a hash from elsewhere', async () => {
    const email = newAddress()
    const password_hash = '$2b$04$6xKH4Gi8RzuGpRCu81AHa.H/FVPe8w7CbIlpg2Z4iuTYQdPOO3NYm'
    assert.equal((await admin.createUser({ email, email_confirm: true, password_hash })).error, null)
  })

  test('is not for people', () => notForPeople((api) => api.createUser({ email: newAddress() })))
})

works('auth.admin.listUsers', () => {
  test('pages', async () => {
    await person()
    await person()
    const { users, total, nextPage } = answered(await admin.listUsers({ page: 1, perPage: 1 }))
    assert.deepEqual([users.length, nextPage], [1, 2])
    assert.ok(total >= 2)
    // The client reads only the first digit of a page's number, so ask for few pages.
    const { lastPage } = answered(await admin.listUsers({ page: 1, perPage: Math.ceil(total / 2) }))
    assert.ok(lastPage >= 2)
  })

  test('is not for people', () => notForPeople((api) => api.listUsers()))
})

works('auth.admin.getUserById', () => {
  test('finds', async () => {
    const { id, email } = await person()
    assert.equal(answered(await admin.getUserById(id)).user.email, email)
  })

  test('knows who is not there', async () => refused(await admin.getUserById(UNKNOWN), 404, 'user_not_found'))
})

works('auth.admin.updateUserById', () => {
  test('changes anything', async () => {
    const { id, client, session } = await person()
    const email = newAddress()
    const params = { email, password: 'Nuova-456x', app_metadata: { plan: 'pro' } }
    const { user } = answered(await admin.updateUserById(id, params))
    assert.deepEqual([user.email, user.app_metadata.plan], [email, 'pro'])
    answered(await client.auth.signInWithPassword({ email, password: 'Nuova-456x' }))
    assert.equal(await lives(session.access_token), false)
  })

  test('bans', async () => {
    const { id, email } = await person()
    assert.ok(answered(await admin.updateUserById(id, { ban_duration: '24h' })).user.banned_until)
    refused(await newClient().auth.signInWithPassword({ email, password: PASSWORD }), 400, 'user_banned')
  })

  test('knows who is not there', async () => refused(await admin.updateUserById(UNKNOWN, {}), 404, 'user_not_found'))
})

works('auth.admin.deleteUser', () => {
  test('deletes', async () => {
    const { id, session } = await person()
    assert.equal(answered(await admin.deleteUser(id)).user.id, id)
    refused(await admin.getUserById(id), 404, 'user_not_found')
    assert.equal(await lives(session.access_token), false)
  })

  test('keeps the row if asked to', async () => {
    const { id, email } = await person()
    answered(await admin.deleteUser(id, true))
    assert.ok(answered(await admin.getUserById(id)).user.deleted_at)
    refused(await newClient().auth.signInWithPassword({ email, password: PASSWORD }), 400, 'invalid_credentials')
  })
})

works('auth.admin.inviteUserByEmail', () => {
  test('sends an invitation that signs in', async () => {
    const email = newAddress()
    const { user } = answered(await admin.inviteUserByEmail(email, { data: { full_name: 'Marco' } }))
    assert.ok(user.invited_at)
    const [mail] = await mailsTo(email)
    const accepted = answered(await newClient().auth.verifyOtp({ type: 'invite', token_hash: tokenHash(mail) }))
    assert.equal(accepted.user.user_metadata.full_name, 'Marco')
  })

  test('refuses who is already here', async () => {
    const { email } = await person()
    refused(await admin.inviteUserByEmail(email), 422, 'email_exists')
  })
})

works('auth.admin.generateLink', () => {
  for (const type of ['magiclink', 'recovery']) {
    test(type, async () => {
      const { email } = await person()
      const { properties, user } = answered(await admin.generateLink({ type, email }))
      assert.equal(user.email, email)
      assert.equal(properties.verification_type, type)
      assert.ok(properties.action_link.startsWith(`${run.url}/auth/v1/verify?`))
      assert.match(properties.email_otp, /^\d{6}$/)
      answered(await newClient().auth.verifyOtp({ type, token_hash: properties.hashed_token }))
    })
  }

  test('signup and invite make the account', async () => {
    for (const params of [{ type: 'signup', password: PASSWORD }, { type: 'invite' }]) {
      const { properties } = answered(await admin.generateLink({ ...params, email: newAddress() }))
      answered(await newClient().auth.verifyOtp({ type: params.type, token_hash: properties.hashed_token }))
    }
  })

  test('email_change has a link for each address', async () => {
    const { email } = await person()
    const newEmail = newAddress()
    for (const type of ['email_change_current', 'email_change_new']) {
      const { properties } = answered(await admin.generateLink({ type, email, newEmail }))
      assert.ok(properties.hashed_token)
    }
  })

  test('refuses an unknown address', async () => {
    refused(await admin.generateLink({ type: 'recovery', email: newAddress() }), 404, 'user_not_found')
  })
})

works('auth.admin.signOut', () => {
  test('ends the session of a token', async () => {
    const { session } = await person()
    assert.equal((await admin.signOut(session.access_token, 'global')).error, null)
    assert.equal(await lives(session.access_token), false)
  })

  test('refuses what is no token', async () => refused(await admin.signOut('nessuno'), 403, 'bad_jwt'))
})

/** Somebody with a verified authenticator app. */
async function protectedPerson() {
  const someone = await person()
  const { id: factorId, totp } = answered(await someone.client.auth.mfa.enroll({ factorType: 'totp' }))
  answered(await someone.client.auth.mfa.challengeAndVerify({ factorId, code: codesOf(totp.secret)[0] }))
  return { ...someone, factorId }
}

works('auth.admin.mfa.listFactors', () => {
  test('shows the factors of anybody', async () => {
    const { id: userId, factorId } = await protectedPerson()
    const { factors } = answered(await admin.mfa.listFactors({ userId }))
    assert.deepEqual(
      factors.map(({ id, status }) => [id, status]),
      [[factorId, 'verified']],
    )
  })

  test('knows who is not there', async () => {
    refused(await admin.mfa.listFactors({ userId: UNKNOWN }), 404, 'user_not_found')
  })
})

works('auth.admin.mfa.deleteFactor', () => {
  test('helps out who lost the app', async () => {
    const { id: userId, factorId } = await protectedPerson()
    answered(await admin.mfa.deleteFactor({ userId, id: factorId }))
    assert.deepEqual(answered(await admin.mfa.listFactors({ userId })).factors, [])
  })

  test('refuses an unknown factor', async () => {
    const { id: userId } = await person()
    refused(await admin.mfa.deleteFactor({ userId, id: UNKNOWN }), 404, 'mfa_factor_not_found')
  })
})

let providers = 0
const newProvider = () => ({
  provider_type: 'oauth2',
  identifier: `custom:officina-${Date.now()}-${(providers += 1)}`,
  name: 'Officina',
  client_id: 'socio',
  client_secret: 'segreto',
  authorization_url: 'https://officina.example/authorize',
  token_url: 'https://officina.example/token',
  userinfo_url: 'https://officina.example/me',
})

works('auth.admin.customProviders.createProvider', () => {
  test('keeps the secret to itself', async () => {
    const params = newProvider()
    const provider = answered(await admin.customProviders.createProvider(params))
    assert.equal(provider.identifier, params.identifier)
    assert.equal('client_secret' in provider, false)
    refused(
      await admin.customProviders.createProvider({ ...newProvider(), token_url: 'http://officina.example' }),
      400,
      'validation_failed',
    )
  })

  test('is not for people', () => notForPeople((api) => api.customProviders.createProvider(newProvider())))
})

works('auth.admin.customProviders.listProviders', () => {
  test('lists, of one type if asked to', async () => {
    const { identifier } = answered(await admin.customProviders.createProvider(newProvider()))
    const { providers: all } = answered(await admin.customProviders.listProviders())
    assert.ok(all.some((each) => each.identifier === identifier))
    const { providers: openid } = answered(await admin.customProviders.listProviders({ type: 'oidc' }))
    assert.ok(openid.every((each) => each.identifier !== identifier))
  })
})

works('auth.admin.customProviders.getProvider', () => {
  test('finds', async () => {
    const { identifier } = answered(await admin.customProviders.createProvider(newProvider()))
    assert.equal(answered(await admin.customProviders.getProvider(identifier)).name, 'Officina')
  })

  test('knows what is not there', async () => {
    refused(await admin.customProviders.getProvider('custom:nessuno'), 404, 'custom_provider_not_found')
  })
})

works('auth.admin.customProviders.updateProvider', () => {
  test('changes', async () => {
    const { identifier } = answered(await admin.customProviders.createProvider(newProvider()))
    const changed = answered(
      await admin.customProviders.updateProvider(identifier, { name: 'Bottega', enabled: false }),
    )
    assert.deepEqual([changed.name, changed.enabled], ['Bottega', false])
  })

  test('knows what is not there', async () => {
    const answer = await admin.customProviders.updateProvider('custom:nessuno', { name: 'Bottega' })
    refused(answer, 404, 'custom_provider_not_found')
  })
})

works('auth.admin.customProviders.deleteProvider', () => {
  test('removes', async () => {
    const { identifier } = answered(await admin.customProviders.createProvider(newProvider()))
    assert.equal((await admin.customProviders.deleteProvider(identifier)).error, null)
    refused(await admin.customProviders.deleteProvider(identifier), 404, 'custom_provider_not_found')
  })
})
