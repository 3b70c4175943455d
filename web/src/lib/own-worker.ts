/**
 * Starts workers under a policy that lets no script name another one by its address (Trusted Types): only files of our
 * own build pass, not what lies in the storage under the same origin. The gateway's header names the policy.
 */
type Rules = { createScriptURL: (address: string) => string }
type Factory = { createPolicy: (name: string, rules: Rules) => Rules }

/** What vite/prerender.ts calls it. */
const SERVICE_WORKER = '/service-worker.js'

/** Browsers without Trusted Types need no permission. */
const { trustedTypes } = window as { trustedTypes?: Factory }
const policy = trustedTypes?.createPolicy('socio-worker', {
  createScriptURL(address) {
    const { origin, pathname } = new URL(address, window.location.href)
    const isOurs =
      origin === window.location.origin &&
      (import.meta.env.DEV || pathname === SERVICE_WORKER || pathname.startsWith('/assets/'))
    if (!isOurs) throw new TypeError(`no worker of ours: ${address}`)
    return address
  },
})

/** @param address of a file that was imported with `?worker&url` */
export function startWorker(address: string): Worker {
  return new Worker(policy?.createScriptURL(address) ?? address, { type: 'module' })
}

/** Registers the service worker, or looks for a new version of it. Null where there is none: old browsers, development. */
export async function registerServiceWorker(): Promise<ServiceWorkerRegistration | null> {
  if (import.meta.env.DEV || !('serviceWorker' in navigator)) return null
  const address = policy?.createScriptURL(SERVICE_WORKER) ?? SERVICE_WORKER
  return navigator.serviceWorker.register(address, { updateViaCache: 'none' })
}

/**
 * Registers the service worker and tells it, and the version that waits behind it, of which build this page is: when no
 * other page is open the new version takes over.
 */
export async function announcePage(): Promise<void> {
  const registration = await registerServiceWorker()
  if (!registration) return
  const entry = document.querySelector<HTMLScriptElement>('script[type="module"]')?.getAttribute('src')
  // Only windows are told an origin.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  const tell = () => registration.waiting?.postMessage(entry)
  tell()
  registration.addEventListener('updatefound', () => registration.installing?.addEventListener('statechange', tell))
}
