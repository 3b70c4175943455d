/**
 * Starts workers under a policy that lets no script name another one by its address (Trusted Types): only files of our
 * own build pass, not what lies in the storage under the same origin. The gateway's header names the policy.
 */
type Rules = { createScriptURL: (address: string) => string }
type Factory = { createPolicy: (name: string, rules: Rules) => Rules }

/** Browsers without Trusted Types need no permission. */
const { trustedTypes } = window as { trustedTypes?: Factory }
const policy = trustedTypes?.createPolicy('socio-worker', {
  createScriptURL(address) {
    const { origin, pathname } = new URL(address, window.location.href)
    const isOurs = origin === window.location.origin && (import.meta.env.DEV || pathname.startsWith('/assets/'))
    if (!isOurs) throw new TypeError(`no worker of ours: ${address}`)
    return address
  },
})

/** @param address of a file that was imported with `?worker&url` */
export function startWorker(address: string): Worker {
  return new Worker(policy?.createScriptURL(address) ?? address, { type: 'module' })
}
