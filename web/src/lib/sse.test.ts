import type { EventSourceMessage } from 'eventsource-parser'
import { expect, test, vi } from 'vitest'

import { type Connection, follow } from '@/lib/sse'

const bodyOf = (...pieces: (string | Uint8Array<ArrayBuffer>)[]) =>
  new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      for (const piece of pieces) {
        controller.enqueue(typeof piece === 'string' ? new TextEncoder().encode(piece) : piece)
      }
      controller.close()
    },
  })

const options = { onConnection: () => undefined, signal: new AbortController().signal, wait: async () => undefined }

test('events are read however the bytes were cut, and one without its end is dropped', async () => {
  const text =
    '\uFEFFid: 1\r\nevent: delta\r\ndata: Ciao à\r\n\r\n: keep-alive\n\nid: 2\ndata:  a: b\ndata: c\n\ndata: mai'
  const bytes = [...new TextEncoder().encode(text)].map((byte) => new Uint8Array([byte]))
  const bodies = [bodyOf(...bytes)]
  const connect = async (): Promise<Connection> => {
    const body = bodies.shift()
    return body ? { state: 'open', body } : { state: 'gone' }
  }
  const heard: EventSourceMessage[] = []
  await follow({ ...options, connect, onEvent: (event) => heard.push(event) < 0 })
  expect(heard).toEqual([
    { id: '1', event: 'delta', data: 'Ciao à' },
    { id: '2', event: undefined, data: ' a: b\nc' },
  ])
})

test('a stream that was cut goes on after its last event, and nothing is heard twice', async () => {
  const bodies = [
    bodyOf('id: 1\ndata: uno\n\n', 'id: 2\ndata: due\n\nid: 3\nda'),
    bodyOf('id: 2\ndata: due\n\nid: 3\ndata: fine\n\n'),
  ]
  const connect = vi.fn<(last: string) => Promise<Connection>>(async () => {
    const body = bodies.shift()
    return body ? { state: 'open', body } : { state: 'gone' }
  })
  const heard: EventSourceMessage[] = []
  const outcome = await follow({
    ...options,
    connect,
    onEvent: (event) => {
      heard.push(event)
      return event.data === 'fine'
    },
  })
  expect(outcome).toBe('over')
  expect(heard.map(({ data }) => data)).toEqual(['uno', 'due', 'fine'])
  expect(connect.mock.calls).toEqual([[''], ['2']])
})

test('who is away for ever is given up, who is gone at once', async () => {
  const away = vi.fn<() => Promise<Connection>>(async () => ({ state: 'away' }))
  await expect(follow({ ...options, connect: away, onEvent: () => false })).resolves.toBe('lost')
  expect(away).toHaveBeenCalledTimes(12)
  await expect(follow({ ...options, connect: async () => ({ state: 'gone' }), onEvent: () => false })).resolves.toBe(
    'gone',
  )
})

test('nobody is asked any more once the reader has left', async () => {
  const stop = new AbortController()
  const connect = async (): Promise<Connection> => {
    stop.abort()
    throw new Error('cut')
  }
  await expect(follow({ ...options, signal: stop.signal, connect, onEvent: () => false })).rejects.toThrow('cut')
})
