/**
 * Takes the source maps out of the build, so that no visitor can load them: each release has a folder
 * `<folder>/<release>/<chunk>.js.map.gz`, read by functions/_shared/source_maps.py.
 *
 * An error of an older release is shown for 90 days (db/schemas/72_admin_errors.sql), so its maps are kept as long
 * after the next release replaced it.
 */
import { mkdir, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

import type { Plugin, Rolldown } from 'vite'

import { releaseOf } from './release.ts'

const gzipAsync = promisify(gzip)
const KEPT_MS = 90 * 24 * 60 * 60 * 1000
// A release takes some 3 MB; a developer builds many a day.
const MAX_RELEASES = 30

/** Deletes the releases that were replaced too long ago; the time of a folder is when it was replaced. */
export async function prune(folder: string, current: string, now: Date): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name !== current)
  const releases = await Promise.all(
    names.map(async (name) => ({ name, replacedMs: (await stat(join(folder, name))).mtimeMs })),
  )
  const newestFirst = releases.toSorted((a, b) => b.replacedMs - a.replacedMs)
  // The newest was in use until now.
  if (newestFirst[0]) await utimes(join(folder, newestFirst[0].name), now, now)
  const old = newestFirst.filter(
    ({ replacedMs }, place) => place > 0 && (place >= MAX_RELEASES || now.getTime() - replacedMs > KEPT_MS),
  )
  await Promise.all(old.map(({ name }) => rm(join(folder, name), { recursive: true })))
}

export function sourceMaps(folder: string): Plugin {
  return {
    name: 'source-maps',
    apply: 'build',
    config: () => ({ build: { sourcemap: 'hidden' } }),
    generateBundle: {
      // Vite writes the lists of preloads into the chunks before, and their maps follow.
      order: 'post',
      async handler(_options, bundle) {
        const items = Object.values(bundle)
        const release = releaseOf(bundle)
        const maps = items.filter((item) => item.fileName.endsWith('.map')) as Rolldown.OutputAsset[]
        const target = join(folder, release)
        await mkdir(target, { recursive: true })
        await Promise.all(
          maps.map(async (map) => {
            delete bundle[map.fileName]
            await writeFile(join(target, `${basename(map.fileName)}.gz`), await gzipAsync(map.source))
          }),
        )
        await prune(folder, release, new Date())
      },
    },
  }
}
