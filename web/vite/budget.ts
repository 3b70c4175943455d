/** Fails the build when the client outgrows its budget: what a first visit loads, each lazy chunk, the fonts. */
import { brotliCompressSync } from 'node:zlib'

import type { Plugin, Rolldown } from 'vite'

type Limits = { firstVisit: number; lazyChunk: number; fonts: number }

const KB = 1024

/** Adds `name` and all that it imports statically, which is what the browser loads before anything is shown. */
function collect(name: string, chunks: Map<string, Rolldown.OutputChunk>, found: Set<string>): void {
  if (found.has(name)) return
  found.add(name)
  for (const imported of chunks.get(name)?.imports ?? []) collect(imported, chunks, found)
}

/** Limits in KB after brotli. */
export function budget(limits: Limits): Plugin {
  return {
    name: 'budget',
    apply: 'build',
    generateBundle(_options, bundle) {
      const check = (what: string, size: number, limit: number) => {
        if (size > limit * KB) this.error(`${what} weighs ${(size / KB).toFixed(1)} KB, the budget is ${limit} KB`)
      }
      const chunks = new Map<string, Rolldown.OutputChunk>()
      const first = new Set<string>()
      let fonts = 0
      for (const item of Object.values(bundle)) {
        if (item.type === 'chunk') chunks.set(item.fileName, item)
        else if (item.fileName.endsWith('.woff2')) fonts += item.source.length
      }
      for (const { isEntry, fileName } of chunks.values()) if (isEntry) collect(fileName, chunks, first)
      let firstVisit = 0
      for (const { fileName, code } of chunks.values()) {
        const size = brotliCompressSync(code).length
        if (first.has(fileName)) firstVisit += size
        else check(fileName, size, limits.lazyChunk)
      }
      check('the first visit', firstVisit, limits.firstVisit)
      check('all fonts together', fonts, limits.fonts)
    },
  }
}
