/**
 * What an authenticator app does: codes of RFC 6238 (SHA-1, six digits, 30 seconds) from the secret it was given.
 */
import { createHmac } from 'node:crypto'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const PERIOD_S = 30
/** A code is typed and sent within this time. */
const SENT_WITHIN_S = 5

function fromBase32(text: string): Buffer {
  const bits = [...text].map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, '0')).join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}

export class AuthenticatorApp {
  readonly #key: Buffer
  #next = 0

  constructor(secret: string) {
    this.#key = fromBase32(secret)
  }

  /**
   * The next code that the server has not seen. It takes codes one step early and late, each once and never an older
   * one: the oldest that is still good when it arrives leaves two more for that moment, at the end of a step one.
   */
  code(): string {
    const oldest = Math.floor((Date.now() / 1000 + SENT_WITHIN_S) / PERIOD_S) - 1
    const step = Math.max(this.#next, oldest)
    this.#next = step + 1
    const counter = Buffer.alloc(8)
    counter.writeBigUInt64BE(BigInt(step))
    const digest = createHmac('sha1', this.#key).update(counter).digest()
    const offset = (digest.at(-1) ?? 0) & 15
    return String((digest.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0')
  }
}
