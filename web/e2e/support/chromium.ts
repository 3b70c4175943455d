/** How the system's Chromium is found and started. */
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/**
 * Playwright's own browsers are never downloaded: the system's Chromium is the one that people get fixes for.
 *
 * @param names of its programs, the preferred first
 */
export function chromium(...names: string[]) {
  const folders = ['/usr/bin', ...(process.env.PATH ?? '').split(delimiter)]
  const found = names.flatMap((name) => folders.map((folder) => join(folder, name)))
  return {
    executablePath: [process.env.CHROMIUM_BIN ?? '', ...found].find((path) => existsSync(path)) ?? 'chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--disable-background-networking',
      '--disable-component-update',
    ],
  }
}
