/** The name of a build: the hash in the name of its entry, as src/lib/release.ts reads it from the page. */
import type { Rolldown } from 'vite'

/** Throws where the entry has no hash. */
export function releaseOf(bundle: Rolldown.OutputBundle): string {
  const entry = Object.values(bundle).find((item) => item.type === 'chunk' && item.isEntry)
  const [, release] = /-([\w-]{8})\.js$/.exec(entry?.fileName ?? '') ?? []
  if (!release) throw new Error('the build has no entry with a hash')
  return release
}
