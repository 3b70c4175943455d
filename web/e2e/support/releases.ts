/**
 * The product behind a proxy that can release a second build: the same files under other names, as a change of all of
 * them would give. The files of the first build are gone from then on.
 */
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

import { readStack } from './stack'

const HASH = /-([\w-]{8})(?=\.(?:js|css|woff2)$)/
const FILE = /[\w.-]+-[\w-]{8}\.(?:js|css|woff2)/g
const TEXT = /javascript|html|css|json/

const reversed = (name: string) => name.replace(HASH, (_match, hash: string) => `-${[...hash].toReversed().join('')}`)

export type Releases = {
  /** Where the proxy answers: same host as the stack. */
  url: string
  releaseSecond: () => void
  close: () => void
}

/** Begins with the build as it is. */
export async function startReleases(): Promise<Releases> {
  const stack = new URL(readStack().url)
  const worker = await (await fetch(new URL('/service-worker.js', stack))).text()
  const names = new Set(worker.match(FILE))
  const version = /version:["`]([\da-f]{12})/.exec(worker)?.[1]
  if (names.size === 0 || !version) throw new Error('the service worker names no files or no version')
  let isSecond = false
  let url = ''

  const second = (text: string) =>
    text
      .replaceAll(FILE, (name) => (names.has(name) ? reversed(name) : name))
      .replaceAll(version, [...version].toReversed().join(''))

  function answer(incoming: IncomingMessage, response: ServerResponse): void {
    const path = incoming.url ?? '/'
    const file = path.slice('/assets/'.length)
    // Nobody has the files of a build that was replaced.
    if (isSecond && path.startsWith('/assets/') && names.has(file)) {
      response.writeHead(404).end()
      return
    }
    const known = names.has(reversed(file)) ? reversed(file) : null
    const headers = { ...incoming.headers, host: stack.host, 'accept-encoding': 'identity' }
    const to = { host: stack.hostname, port: stack.port, method: incoming.method, headers }
    const outgoing = request({ ...to, path: isSecond && known ? `/assets/${known}` : path }, (answered) => {
      const chunks: Buffer[] = []
      answered.on('data', (chunk: Buffer) => chunks.push(chunk))
      answered.on('end', () => {
        let body = Buffer.concat(chunks)
        const given = Object.fromEntries(
          Object.entries(answered.headers).map(([name, value]) => [
            name,
            typeof value === 'string' ? value.replaceAll(stack.origin, url) : value,
          ]),
        )
        if (TEXT.test(String(answered.headers['content-type']))) {
          const text = body.toString().replaceAll(stack.origin, url)
          body = Buffer.from(isSecond ? second(text) : text)
        }
        // Of the other length, of the other scripts, of the other content.
        for (const name of ['content-length', 'content-security-policy', 'etag']) delete given[name]
        response.writeHead(answered.statusCode ?? 502, { ...given, 'cache-control': 'no-store' }).end(body)
      })
    })
    outgoing.on('error', () => response.writeHead(502).end())
    incoming.pipe(outgoing)
  }

  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, stack.hostname, resolve))
  url = `${stack.protocol}//${stack.hostname}:${(server.address() as AddressInfo).port}`
  return {
    url,
    releaseSecond() {
      isSecond = true
    },
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
