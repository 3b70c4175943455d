/**
 * Fails the build when the client outgrows its budget: what the public site loads before it can be used, what a first
 * visit of the app loads, each lazy chunk, the fonts.
 */
import { brotliCompressSync } from 'node:zlib'

import type { Plugin, Rolldown } from 'vite'

type Limits = {
  /** The code of `start`, which is imported at once, with those chunks that are needed beside it. */
  starts: { name: string; chunks: string[]; limit: number }[]
  lazyChunk: number
  fonts: number
}

const KB = 1024

/** Adds `name` and all that it imports statically. */
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
      const sizes = new Map<string, number>()
      const chunks = new Map<string, Rolldown.OutputChunk>()
      let fonts = 0
      for (const item of Object.values(bundle)) {
        if (item.type === 'chunk') {
          chunks.set(item.fileName, item)
          sizes.set(item.fileName, brotliCompressSync(item.code).length)
        } else if (item.fileName.endsWith('.woff2')) fonts += item.source.length
      }
      const check = (what: string, size: number, limit: number) => {
        const told = `${what}: ${(size / KB).toFixed(1)} of ${limit} KB`
        if (size > limit * KB) this.error(`over budget: ${told}`)
        return told
      }
      const atOnce = new Set<string>()
      const told: string[] = []
      for (const { name, chunks: names, limit } of limits.starts) {
        const found = new Set<string>()
        for (const chunk of chunks.values()) {
          if (chunk.isEntry || (chunk.isDynamicEntry && names.includes(chunk.name)))
            collect(chunk.fileName, chunks, found)
        }
        let size = 0
        for (const file of found) {
          size += sizes.get(file) ?? 0
          atOnce.add(file)
        }
        told.push(check(name, size, limit))
      }
      for (const [file, size] of sizes) if (!atOnce.has(file)) check(file, size, limits.lazyChunk)
      told.push(check('fonts', fonts, limits.fonts))
      this.info(told.join(', '))
    },
  }
}
