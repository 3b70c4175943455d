/** Web push as this browser knows it: whether it can, and the one subscription that it may hold. */
import { registerServiceWorker } from '@/lib/own-worker'
import { local } from '@/lib/storage'

export type PushSupport = 'supported' | 'needs_home_screen' | 'unsupported'

/** iPhone and iPad know push only in applications of the home screen; an iPad calls itself a Mac with a touch screen. */
export function pushSupport(): PushSupport {
  if ('serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window) return 'supported'
  const { userAgent, maxTouchPoints } = navigator
  const isApple = /iPhone|iPad/.test(userAgent) || (/Macintosh/.test(userAgent) && maxTouchPoints > 1)
  return isApple ? 'needs_home_screen' : 'unsupported'
}

const wishKey = (userId: string): string => `socio.push.${userId}`

/** The device that this browser is for that person, while they want to be notified here. */
export const wishedDevice = (userId: string): string | null => local.getItem(wishKey(userId))

export function wishDevice(userId: string, deviceId: string): void {
  local.setItem(wishKey(userId), deviceId)
}

export async function currentSubscription(): Promise<PushSubscription | null> {
  if (pushSupport() !== 'supported') return null
  const registration = await navigator.serviceWorker.getRegistration()
  return (await registration?.pushManager.getSubscription()) ?? null
}

/** Subscribes with the server's key (base64url). @throws DOMException when the browser's push service refuses */
export async function subscribe(key: string): Promise<PushSubscription> {
  await registerServiceWorker()
  const { pushManager } = await navigator.serviceWorker.ready
  const known = await pushManager.getSubscription()
  // A browser refuses a second key beside the first.
  if (known && !isFor(known, key)) await known.unsubscribe()
  return pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key })
}

export function isFor(subscription: PushSubscription, key: string): boolean {
  const bytes = new Uint8Array(subscription.options.applicationServerKey ?? [])
  const written = btoa(String.fromCodePoint(...bytes))
  return written.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '') === key
}

/** From here on nothing of that person is shown in this browser. */
export async function unsubscribe(userId: string): Promise<void> {
  local.removeItem(wishKey(userId))
  // What the browser cannot end, the next visit does (keepPush).
  await (await currentSubscription())?.unsubscribe().catch(() => false)
}
