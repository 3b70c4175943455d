/**
 * supabase-js against the running stack: every method of the functions client; tests/contract/functions answers.
 * Started beside a stack: `python -m scripts.stack -- node --test tests/contract/functions.test.js`.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient, FunctionsFetchError, FunctionsHttpError, FunctionsRelayError } from '@supabase/supabase-js'
import { covered, publicMethods, works } from './auth/methods.js'
import { answered, newClient, person } from './auth/stack.js'

const invoke = async (name, options, client = newClient()) => answered(await client.functions.invoke(name, options))

works('functions.invoke', () => {
  test('JSON goes and comes', async () => {
    const body = { città: 'Forlì', n: [1, null] }
    assert.deepEqual(await invoke('echo', { body }), body)
  })

  test('text comes back as text', async () => {
    assert.equal(await invoke('echo', { body: 'perché no' }), 'perché no')
  })

  test('a blob comes back as a blob', async () => {
    const bytes = new Uint8Array(256).map((_, index) => index)
    for (const body of [bytes.buffer, new Blob([bytes])]) {
      const answer = await invoke('echo', { body })
      assert.deepEqual(new Uint8Array(await answer.arrayBuffer()), bytes)
    }
  })

  test('a form with a file arrives', async () => {
    const body = new FormData()
    body.set('name', 'Anna')
    body.set('file', new Blob(['1234']), 'a.bin')
    assert.deepEqual(await invoke('echo', { body }), { name: 'Anna', file: 'a.bin: 4 bytes' })
  })

  test('a stream of events is handed over as it comes', async () => {
    const response = await invoke('echo?as=events', { body: 'uno due' })
    assert.ok(response instanceof Response)
    assert.equal(await response.text(), 'data: uno\n\ndata: due\n\n')
  })

  test('method, region and headers arrive', async () => {
    const options = { method: 'PATCH', region: 'eu-west-1', headers: { 'x-custom': '1' } }
    const seen = await invoke('echo/further?as=request', options)
    assert.deepEqual(
      { method: seen.method, path: seen.path, region: seen['x-region'], custom: seen['x-custom'] },
      { method: 'PATCH', path: '/functions/v1/echo/further', region: 'eu-west-1', custom: '1' },
    )
  })

  test('a function knows who calls', async () => {
    assert.deepEqual(await invoke('echo?as=caller'), { user_id: null, role: 'anon' })
    const { client, id } = await person()
    assert.deepEqual(await invoke('echo?as=caller', {}, client), { user_id: id, role: 'authenticated' })
  })

  for (const [name, status, code] of [
    ['echo?as=refusal', 409, 'already_there'],
    ['echo?as=bug', 500, 'unexpected_failure'],
    ['nowhere', 404, 'not_found'],
  ]) {
    test(`${code} is an error of the function`, async () => {
      const { error } = await newClient().functions.invoke(name)
      assert.ok(error instanceof FunctionsHttpError)
      const body = await error.context.json()
      assert.deepEqual([error.context.status, body.code], [status, code])
      assert.equal(body.request_id, error.context.headers.get('x-request-id'))
    })
  }

  test('a function that does not start is an error of the relay', async () => {
    const { error } = await newClient().functions.invoke('broken')
    assert.ok(error instanceof FunctionsRelayError)
    assert.equal(error.context.status, 503)
  })

  test('a server that is not there is an error of the network', async () => {
    const { error } = await createClient('http://127.0.0.1:1', 'key').functions.invoke('echo')
    assert.ok(error instanceof FunctionsFetchError)
  })
})

works('functions.setAuth', () => {
  test('the token is the one that counts', async () => {
    const { id, session } = await person()
    const { functions } = newClient()
    functions.setAuth(session.access_token)
    assert.deepEqual(answered(await functions.invoke('echo?as=caller')), { user_id: id, role: 'authenticated' })
    functions.setAuth('x.y.z')
    assert.equal((await functions.invoke('echo?as=caller')).error.context.status, 401)
  })
})

test('every public method of the client has tests', () => {
  assert.deepEqual([...covered.keys()].sort(), publicMethods(['functions']).sort())
})
