/** Every public method of the client, service by service, by reflection, and those that the tests here cover. */
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { describe } from 'node:test'
import { createClient } from '@supabase/supabase-js'

const require = createRequire(import.meta.url)
const parts = createRequire(require.resolve('@supabase/supabase-js'))

/** The services and the packages of their clients; a service's tests are in <service>.test.js. */
const PACKAGES = {
  auth: '@supabase/auth-js',
  functions: '@supabase/functions-js',
  storage: '@supabase/storage-js',
  realtime: '@supabase/realtime-js',
}
export const SERVICES = Object.keys(PACKAGES)

/** What a client hands out itself, and whose methods are meant: `storage.from.upload`. */
const HANDED_OUT = {
  storage: (client) => ({ ...bound(client.storage), from: bound(client.storage.from('bucket')) }),
  realtime: (client) => ({ ...bound(client.realtime), channel: bound(client.channel('topic')) }),
}

/** Methods that ask the server nothing, and what only hosted Supabase has, for which there is no answer to compare. */
const LEFT_OUT = new RegExp(
  [
    String.raw`\.(throwOnError|setHeader|toBase64|handleOperation|headers|fetch|vectors|analytics|serializer|params)\b`,
    String.raw`\.(log|hasLogger|onHeartbeat|endpointURL|connectionState|is[A-Z]\w*|push|encode|decode|reconnectAfterMs)$`,
    String.raw`^realtime\.(transport|heartbeatCallback|channels|sendBuffer|stateChangeCallbacks|socketAdapter|accessToken)\b`,
    String.raw`^realtime\.channel\.(bindings|socket|channelAdapter|presence|joinPush|rejoinTimer|copyBindings)(\.|$)`,
    String.raw`^realtime\.channel\.(updateJoinPayload|teardown)$`,
    String.raw`[lL]ifecycle|[pP]urge`,
    // private, but said so only in the bundled declarations
    String.raw`\.(uploadOrUpdate|prepareUploadFormData|encodeMetadata|\w+ToQuery(String)?)$`,
  ].join('|'),
)

/** The methods of an object, wherever in its chain they stand. */
function bound(object) {
  const names = [...chain(object)].flatMap((each) => Object.getOwnPropertyNames(each))
  return Object.fromEntries(
    names.filter((name) => typeof object[name] === 'function').map((name) => [name, object[name]]),
  )
}

/** The methods that have tests: name -> what the tests prove, "works" or "disabled". */
export const covered = new Map()

/** The tests of a method that does here what it does against the original. */
export const works = (method, tests) => cover(method, 'works', tests)

/** The tests of a method whose feature is off: it answers what the original answers where that is off. */
export const disabled = (method, tests) => cover(method, 'disabled', tests)

function cover(method, outcome, tests) {
  covered.set(method, outcome)
  describe(outcome === 'works' ? method : `${method} is off`, tests)
}

/** What TypeScript calls private or protected, by class: reflection cannot tell. */
function hiddenNames(service) {
  const hidden = new Map()
  const folder = dirname(parts.resolve(PACKAGES[service]))
  const files = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.d.ts'))
  for (const text of files.map((name) => readFileSync(join(folder, name), 'utf8'))) {
    for (const [, name, body] of text.matchAll(/class (\w+)[^{]*\{(.*?)^\}/gms)) {
      const members = body.matchAll(/^ {4}(?:private|protected)(?: readonly| get)? (\w+)/gm)
      hidden.set(name, new Set([...members].map(([, member]) => member)))
    }
  }
  return hidden
}

function* chain(object) {
  for (let each = object; each && each !== Object.prototype; each = Object.getPrototypeOf(each)) yield each
}

function* methodsOf(object, prefix, hidden) {
  const own = new Set([...chain(object)].flatMap((each) => Object.getOwnPropertyNames(each)))
  const secret = [...chain(object)].map((each) => hidden.get(each.constructor.name) ?? new Set())
  for (const name of own) {
    if (name === 'constructor' || name.startsWith('_') || secret.some((names) => names.has(name))) continue
    const value = object[name]
    if (typeof value === 'function') yield prefix + name
    else if (value && typeof value === 'object') yield* methodsOf(value, `${prefix}${name}.`, hidden)
  }
}

/** The names of all public methods of some services, such as `auth.mfa.enroll`. */
export function publicMethods(services = SERVICES) {
  const client = createClient('http://127.0.0.1', 'key', {
    auth: { persistSession: false, autoRefreshToken: false },
  })
  return services.flatMap((service) => {
    const hidden = hiddenNames(service)
    const secret = new Set([...hidden.values()].flatMap((names) => [...names]))
    const api = HANDED_OUT[service]?.(client) ?? client[service]
    const names = [...methodsOf(api, `${service}.`, hidden)]
    if (!(service in HANDED_OUT)) return names
    return names.filter((name) => !LEFT_OUT.test(name) && !secret.has(name.split('.').at(-1)))
  })
}
