/**
 * Server-sent events over `fetch`, which can send a body and a token. A stream that a proxy or a phone drops is asked for
 * again with the id of the last event, less and less often.
 */
import { createParser, type EventSourceMessage } from 'eventsource-parser'

/** A server that says nothing for so long is gone: it sends a comment every 15 s. */
const SILENCE_MS = 45_000

/** The events of one answer, until it ends. @throws when the connection breaks, or nothing comes for too long. */
async function* eventsOf(
  body: ReadableStream<BufferSource>,
  silenceMs = SILENCE_MS,
): AsyncGenerator<EventSourceMessage> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  const events: EventSourceMessage[] = []
  const parser = createParser({ onEvent: (event) => events.push(event) })
  try {
    for (;;) {
      // One piece after the other is what a stream is.
      // oxlint-disable-next-line no-await-in-loop
      const { done, value } = await within(reader.read(), silenceMs)
      if (done) return
      parser.feed(value)
      yield* events.splice(0)
    }
  } finally {
    void reader.cancel().catch(() => undefined)
  }
}

async function within<T>(promise: Promise<T>, ms: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('the stream fell silent')), ms)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

export type Connection =
  | { state: 'open'; body: ReadableStream<BufferSource> }
  /** There is nothing to follow any more. */
  | { state: 'gone' }
  /** Not now: the next attempt may work. */
  | { state: 'away' }

type Stream = {
  /** Opens the stream after the event `last`, '' for all of them. Throwing is «away». */
  connect: (last: string) => Promise<Connection>
  /** Returns whether the stream is over with this event. */
  onEvent: (event: EventSourceMessage) => boolean
  /** Told when the connection is lost, and when it stands again. */
  onConnection: (isThere: boolean) => void
  signal: AbortSignal
  /** Waits before the attempt `number`, beginning with 1. @throws when `signal` says so. */
  wait?: (number: number, signal: AbortSignal) => Promise<void>
}

/** So often nothing new may come before we give up. */
const ATTEMPTS = 12
const LONGEST_WAIT_MS = 10_000

/** Follows a stream to its end, over as many connections as it takes. */
export async function follow({
  connect,
  onEvent,
  onConnection,
  signal,
  wait = backOff,
}: Stream): Promise<'over' | 'gone' | 'lost'> {
  let last = ''
  for (let failures = 0; failures < ATTEMPTS; failures += 1) {
    // Each attempt waits for the one before it.
    // oxlint-disable-next-line no-await-in-loop
    if (failures > 0) await wait(failures, signal)
    try {
      // oxlint-disable-next-line no-await-in-loop
      const connection = await connect(last)
      if (connection.state === 'gone') return 'gone'
      if (connection.state === 'open') {
        onConnection(true)
        // oxlint-disable-next-line no-await-in-loop
        for await (const event of eventsOf(connection.body)) {
          signal.throwIfAborted()
          // A server that repeats itself is not heard twice.
          if (event.id !== undefined && event.id === last) continue
          last = event.id ?? last
          failures = 0
          if (onEvent(event)) return 'over'
        }
      }
    } catch (error) {
      if (signal.aborted) throw error
    }
    onConnection(false)
  }
  return 'lost'
}

/** Half a second, then twice as long each time up to ten; at once when the network is back. */
async function backOff(number: number, signal: AbortSignal): Promise<void> {
  const ms = Math.min(LONGEST_WAIT_MS, 500 * 2 ** (number - 1))
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    window.addEventListener('online', () => resolve(), { once: true, signal })
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(signal.reason as Error)
    })
  })
}
