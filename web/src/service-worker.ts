/**
 * The service worker: shows push messages, opens the app without a network, takes what other applications share.
 *
 * It keeps the files of one build and nothing else: no answer of the API, nothing of a person but what they have shared.
 * Pages come from the network while there is one, so a reload always shows the build of today; its files have their
 * hashes in their names, so two builds never mix. vite/service-worker.ts builds this file and fills in `__BUILD__`.
 */
import { isAppPath } from '@/lib/app-path'
import { noticeOf } from '@/lib/push-notice'
import { keepShared, SHARED } from '@/lib/shared-pieces'
import { paths } from '@/paths'

declare const self: ServiceWorkerGlobalScope
declare const __BUILD__: { version: string; entry: string; assets: string[] }

const { version, entry } = __BUILD__
const CACHE = `socio-${version}`
const assets = new Set(__BUILD__.assets)
/** What the shell asks for by names without a hash. */
const named = new Set(['/theme.js', '/config.js', '/icon.svg'])
/** Answered with the shell of the app, as any of its addresses. */
const SHELL = paths.home
const AWAY = new Set([502, 503, 504])

self.addEventListener('install', (event) => event.waitUntil(keepBuild()))

/** @throws when a file is missing or the server has another build by now; the browser tries again later */
async function keepBuild(): Promise<void> {
  const cache = await caches.open(CACHE)
  const fresh = [SHELL, paths.offline, ...named].map((path) => new Request(path, { cache: 'no-cache' }))
  await cache.addAll([...assets, ...fresh])
  const shell = await cache.match(SHELL)
  if ((await shell?.text())?.includes(entry)) return
  await caches.delete(CACHE)
  throw new Error(`the shell is of another build than ${version}`)
}

self.addEventListener('activate', (event) => event.waitUntil(takeOver()))

async function takeOver(): Promise<void> {
  const others = (await caches.keys()).filter((name) => name !== CACHE && name !== SHARED)
  await Promise.all(others.map((name) => caches.delete(name)))
  await self.clients.claim()
}

/**
 * A page tells which build it is of. Pages of another build may still need their files, so a new version waits until
 * the only page that is open is of its own build, or none is.
 */
self.addEventListener('message', (event) => {
  const { data } = event as { data: unknown }
  if (data === entry) event.waitUntil(skipWaitingIfAlone())
})

async function skipWaitingIfAlone(): Promise<void> {
  const pages = await self.clients.matchAll({ type: 'window', includeUncontrolled: true })
  if (pages.length === 1) await self.skipWaiting()
}

self.addEventListener('fetch', (event) => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  // Under /…/v1/ is the API.
  if (origin !== self.location.origin || /^\/\w+\/v1\//.test(pathname)) return
  if (request.method === 'POST' && pathname === paths.share) event.respondWith(takeShared(request))
  else if (request.method !== 'GET') return
  else if (request.mode === 'navigate') event.respondWith(page(request, pathname))
  else if (assets.has(pathname)) event.respondWith(kept(request))
  else if (named.has(pathname)) event.respondWith(fetch(request).catch(() => kept(request)))
})

async function kept(request: Request | string): Promise<Response> {
  const cache = await caches.open(CACHE)
  return (await cache.match(request, { ignoreVary: true })) ?? fetch(request)
}

async function page(request: Request, pathname: string): Promise<Response> {
  const instead = () => kept(isAppPath(pathname) ? SHELL : paths.offline)
  try {
    const response = await fetch(request)
    return AWAY.has(response.status) ? await instead() : response
  } catch {
    return instead()
  }
}

async function takeShared(request: Request): Promise<Response> {
  try {
    await keepShared(await request.formData())
    return Response.redirect(paths.share, 303)
  } catch {
    return Response.redirect(`${paths.share}?esito=perso`, 303)
  }
}

self.addEventListener('push', (event) => {
  const { title, options } = noticeOf(event.data?.text() ?? '')
  event.waitUntil(self.registration.showNotification(title, options))
})

self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  const { data } = event.notification as { data: string }
  event.waitUntil(open(data))
})

/** An open tab of the app goes there by itself, without losing what is written in it (features/layout/app-worker.tsx). */
async function open(path: string): Promise<void> {
  const pages = await self.clients.matchAll({ type: 'window', includeUncontrolled: true })
  const tab = pages.find(({ url }) => isAppPath(new URL(url).pathname))
  if (!tab) {
    await self.clients.openWindow(path)
    return
  }
  // Only windows are told an origin, and of each other only.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  tab.postMessage(path)
  await tab.focus()
}
