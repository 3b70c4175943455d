/**
 * supabase-js against the running stack: every method of the realtime client that speaks to the server.
 * Started beside a stack: `python -m scripts.stack -- node --test tests/contract/realtime.test.js`.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import { createClient } from '@supabase/supabase-js'
import { covered, publicMethods, works } from './auth/methods.js'
import { answered, newClient, person, run } from './auth/stack.js'

const server = createClient(run.url, run.secret_key, { auth: { persistSession: false } })
const opened = []
after(() => Promise.all(opened.map((client) => client.removeAllChannels())))

function client() {
  const made = newClient()
  opened.push(made)
  return made
}

/** Joins and waits until the server says so. */
function joined(channel) {
  return new Promise((resolve, reject) =>
    channel.subscribe((status, error) => {
      if (status === 'SUBSCRIBED') resolve(channel)
      else if (status !== 'CLOSED') reject(error ?? new Error(status))
    }),
  )
}

/** The first message of a kind on a channel, after `act`. */
function hears(channel, type, filter) {
  return new Promise((resolve) => channel.on(type, filter, resolve))
}

const room = () => `room:${randomUUID()}`

for (const method of ['on', 'send', 'subscribe']) {
  works(`realtime.channel.${method}`, () => {
    test('a broadcast reaches the others, and its sender when asked', async () => {
      const topic = room()
      const config = { config: { broadcast: { self: true, ack: true } } }
      const [here, there] = [client().channel(topic, config), client().channel(topic)]
      const heard = [here, there].map((channel) => hears(channel, 'broadcast', { event: 'ciao' }))
      await Promise.all([here, there].map(joined))
      assert.equal(await here.send({ type: 'broadcast', event: 'ciao', payload: { testo: 'è qui' } }), 'ok')
      for (const message of await Promise.all(heard)) assert.deepEqual(message.payload, { testo: 'è qui' })
    })
  })
}

works('realtime.channel.httpSend', () => {
  test('a message over HTTP, text and bytes', async () => {
    const topic = room()
    const there = client().channel(topic)
    const [text, bytes] = ['text', 'bytes'].map((event) => hears(there, 'broadcast', { event }))
    await joined(there)
    const here = client().channel(topic)
    assert.deepEqual(await here.httpSend('text', { n: 1 }), { success: true })
    assert.deepEqual((await text).payload, { n: 1 })
    await here.httpSend('bytes', new Uint8Array([0, 255]).buffer)
    assert.deepEqual(new Uint8Array((await bytes).payload), new Uint8Array([0, 255]))
  })
})

for (const method of ['track', 'untrack', 'presenceState']) {
  works(`realtime.channel.${method}`, () => {
    test('who is there is seen, and who has gone', async () => {
      const topic = room()
      const [here, there] = ['anna', 'bruno'].map((key) => client().channel(topic, { config: { presence: { key } } }))
      there.on('presence', { event: 'sync' }, () => {})
      const came = hears(there, 'presence', { event: 'join' })
      const left = hears(there, 'presence', { event: 'leave' })
      here.on('presence', { event: 'sync' }, () => {})
      await joined(there)
      await joined(here)
      assert.equal(await here.track({ su: 'fattura' }), 'ok')
      assert.equal((await came).newPresences[0].su, 'fattura')
      assert.deepEqual(Object.keys(there.presenceState()), ['anna'])
      assert.equal(await here.untrack(), 'ok')
      assert.equal((await left).key, 'anna')
      assert.deepEqual(there.presenceState(), {})
    })
  })
}

works('realtime.setAuth', () => {
  test('changes of a table come to their owner alone', async () => {
    const [anna, bruno] = [await person(), await person()]
    opened.push(anna.client, bruno.client)
    const heard = { anna: [], bruno: [] }
    for (const [name, someone] of Object.entries({ anna, bruno })) {
      await someone.client.realtime.setAuth(someone.session.access_token)
      const channel = someone.client.channel(room())
      const wanted = {
        event: '*',
        schema: 'public',
        table: 'notifications',
        filter: `user_id=eq.${anna.id}`,
      }
      channel.on('postgres_changes', wanted, (change) => heard[name].push(change))
      const ready = hears(channel, 'system', {})
      await joined(channel)
      assert.equal((await ready).status, 'ok')
    }
    const row = { user_id: anna.id, title: 'Ciao', message: 'Una prova', type: 'info' }
    const made = answered(await server.from('notifications').insert(row).select().single())
    const deadline = Date.now() + 20_000
    const came = () => heard.anna.some(({ eventType, new: shown }) => eventType === 'INSERT' && shown.id === made.id)
    while (!came() && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20))
    assert.ok(came())
    assert.deepEqual(heard.bruno, [])
  })
})

for (const method of ['removeChannel', 'removeAllChannels', 'getChannels']) {
  works(`realtime.${method}`, () => {
    test('channels come and go', async () => {
      const one = client()
      const channel = await joined(one.channel(room()))
      assert.equal(one.getChannels().length, 1)
      assert.equal(await one.removeChannel(channel), 'ok')
      await joined(one.channel(room()))
      assert.deepEqual(await one.removeAllChannels(), ['ok'])
      assert.deepEqual(one.getChannels(), [])
    })
  })
}

works('realtime.channel.unsubscribe', () => {
  test('nothing more is heard', async () => {
    const topic = room()
    const channel = await joined(client().channel(topic))
    assert.equal(await channel.unsubscribe(), 'ok')
    assert.equal(channel.state, 'closed')
  })
})

for (const method of ['connect', 'disconnect', 'sendHeartbeat']) {
  works(`realtime.${method}`, () => {
    test('the connection opens, answers a heartbeat, and closes', async () => {
      const one = client()
      const answers = new Promise((resolve) => {
        one.realtime.onHeartbeat((status) => status === 'ok' && resolve(status))
      })
      await joined(one.channel(room()))
      assert.ok(one.realtime.isConnected())
      await one.realtime.sendHeartbeat()
      assert.equal(await answers, 'ok')
      await one.realtime.disconnect()
      assert.ok(!one.realtime.isConnected())
      one.realtime.connect()
    })
  })
}

test('every public method of the client has tests', () => {
  assert.deepEqual([...covered.keys()].sort(), publicMethods(['realtime']).sort())
})
