/** What people hold in their hands: an authenticator app (RFC 6238), and a browser with passkeys (WebAuthn). */
import { createHash, createHmac, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { run } from './stack.js'

const STEP_MS = 30_000
const AMPLE_MS = 5_000
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const RP_ID = 'localhost'
const ORIGIN = run.url.replace('127.0.0.1', RP_ID)

function base32(text) {
  const bits = [...text].map((letter) => BASE32.indexOf(letter).toString(2).padStart(5, '0')).join('')
  return Buffer.from(bits.match(/.{8}/g).map((byte) => Number.parseInt(byte, 2)))
}

function totp(secret, step) {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const digest = createHmac('sha1', base32(secret)).update(counter).digest()
  const number = digest.readUInt32BE(digest.at(-1) & 15) & 0x7fffffff
  return String(number % 1_000_000).padStart(6, '0')
}

/** Two codes to be used one after the other: the server takes neighbours of the current step, and each step once. */
export function codesOf(secret, now = Date.now()) {
  const step = Math.floor(now / STEP_MS)
  const first = STEP_MS - (now % STEP_MS) > AMPLE_MS ? step - 1 : step
  return [totp(secret, first), totp(secret, first + 1)]
}

/** CBOR (RFC 8949) of what an authenticator says: integers, bytes, texts and maps. */
function cbor(value) {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value])
  return Buffer.concat([head(5, value.size), ...[...value].flat().map(cbor)])
}

function head(major, number) {
  if (number < 24) return Buffer.from([(major << 5) | number])
  return number < 256 ? Buffer.from([(major << 5) | 24, number]) : Buffer.from([(major << 5) | 25, number >> 8, number])
}

const sha256 = (bytes) => createHash('sha256').update(bytes).digest()
const text = (bytes) => Buffer.from(bytes).toString('base64url')

class PublicKeyCredential {
  constructor(id, response) {
    this.json = { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response }
  }

  toJSON() {
    return this.json
  }
}

/** An ES256 authenticator with one credential. */
class Authenticator {
  #id = randomBytes(32)
  #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  #uses = 0
  #user = Buffer.alloc(0)

  create({ publicKey }) {
    this.#user = publicKey.user.id
    const { x, y } = this.#keys.publicKey.export({ format: 'jwk' })
    const point = [x, y].map((each) => Buffer.from(each, 'base64url'))
    const cose = new Map([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, point[0]],
      [-3, point[1]],
    ])
    const length = Buffer.from([0, this.#id.length])
    const authData = Buffer.concat([this.#data(0x45), Buffer.alloc(16), length, this.#id, cbor(cose)])
    return new PublicKeyCredential(text(this.#id), {
      clientDataJSON: text(clientData('webauthn.create', publicKey)),
      attestationObject: text(cbor(new Map(Object.entries({ fmt: 'none', attStmt: new Map(), authData })))),
      transports: ['internal'],
    })
  }

  get({ publicKey }) {
    this.#uses += 1
    const data = this.#data(0x05)
    const client = clientData('webauthn.get', publicKey)
    return new PublicKeyCredential(text(this.#id), {
      clientDataJSON: text(client),
      authenticatorData: text(data),
      signature: text(sign('sha256', Buffer.concat([data, sha256(client)]), this.#keys.privateKey)),
      userHandle: text(this.#user),
    })
  }

  #data(flags) {
    const uses = Buffer.alloc(4)
    uses.writeUInt32BE(this.#uses)
    return Buffer.concat([sha256(RP_ID), Buffer.from([flags]), uses])
  }
}

const clientData = (type, { challenge }) =>
  Buffer.from(JSON.stringify({ type, challenge: text(challenge), origin: ORIGIN }))

/** What the client asks a browser for, and only while `work` runs: a page of ours and its authenticator. */
export async function inBrowser(authenticator, work) {
  const page = { PublicKeyCredential, location: new URL(ORIGIN) }
  const globals = { window: page, document: {}, PublicKeyCredential }
  const credentials = {
    create: async (options) => authenticator.create(options),
    get: async (options) => authenticator.get(options),
  }
  Object.assign(globalThis, globals)
  Object.defineProperty(navigator, 'credentials', { configurable: true, value: credentials })
  try {
    return await work()
  } finally {
    for (const name of Object.keys(globals)) delete globalThis[name]
    delete navigator.credentials
  }
}

export const newAuthenticator = () => new Authenticator()
export const relyingParty = { rpId: RP_ID, rpOrigins: [ORIGIN] }
