/**
 * Files for the tests: of any size, never the same bytes twice, and small in the memory of the test.
 */
import { createHash, randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'

const MB = 1024 * 1024

/** A PDF by its first bytes, random behind them; returns its hash. */
export function writePdf(path: string, megabytes: number): string {
  const content = Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(megabytes * MB - 9)])
  writeFileSync(path, content)
  return sha256(content)
}

export function hashOf(path: string): string {
  return sha256(readFileSync(path))
}

function sha256(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}
