import { expect, test, vi } from 'vitest'

import { type Connection, EventReader, follow, type ServerEvent } from '@/lib/sse'

const read = (...pieces: string[]) => {
  const reader = new EventReader()
  return pieces.flatMap((piece) => reader.read(piece))
}

const bodyOf = (...pieces: string[]) =>
  new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece))
      controller.close()
    },
  })

test('events are read however the stream was cut', () => {
  const text = 'id: 1\nevent: delta\ndata: {"text":"Ciao à"}\n\n: ancora qui\n\nid: 2\ndata: a\ndata: b\n\n'
  const expected = [
    { id: '1', name: 'delta', data: '{"text":"Ciao à"}' },
    { id: '2', name: 'message', data: 'a\nb' },
  ]
  expect(read(text)).toEqual(expected)
  expect(read(...text)).toEqual(expected)
  expect(read(...text.replaceAll('\n', '\r\n'))).toEqual(expected)
})

test('a byte order mark, a colon in the data and an event without an end are borne', () => {
  expect(read('\uFEFFdata:  a: b\n\ndata: mai')).toEqual([{ id: '', name: 'message', data: ' a: b' }])
})

const options = { onConnection: () => undefined, signal: new AbortController().signal, wait: async () => undefined }

test('a stream that was cut goes on after its last event, and nothing is heard twice', async () => {
  const bodies = [
    bodyOf('id: 1\ndata: uno\n\n', 'id: 2\ndata: due\n\nid: 3\nda'),
    bodyOf('id: 2\ndata: due\n\nid: 3\ndata: fine\n\n'),
  ]
  const connect = vi.fn<(last: string) => Promise<Connection>>(async () => {
    const body = bodies.shift()
    return body ? { state: 'open', body } : { state: 'gone' }
  })
  const heard: ServerEvent[] = []
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
