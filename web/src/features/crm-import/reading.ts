/**
 * How an import reads its file: kept in the browser while it is not finished, so that one that was cut off goes on as it
 * began. Other columns, or another file, would put other contacts under the numbers of its rows.
 */
import type { MatchRule } from '@/data/import-run'
import type { Mapping } from '@/lib/contact-csv-columns'
import { local } from '@/lib/storage'

export type Reading = { mapping: Mapping; match: MatchRule; digest: string }

const keyOf = (batchId: string) => `socio.import.${batchId}`

/** How this import was begun; null when another browser did it. */
export function readingOf(batchId: string): Reading | null {
  try {
    return JSON.parse(local.getItem(keyOf(batchId)) ?? 'null') as Reading | null
  } catch {
    return null
  }
}

export const keepReading = (batchId: string, reading: Reading): void =>
  local.setItem(keyOf(batchId), JSON.stringify(reading))

export const forgetReading = (batchId: string): void => local.removeItem(keyOf(batchId))

/** What tells the file from every other; empty where it cannot be read. */
export async function digestOf(file: Blob): Promise<string> {
  try {
    const digest = await crypto.subtle.digest('SHA-256', await file.arrayBuffer())
    return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  } catch {
    return ''
  }
}
