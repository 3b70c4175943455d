/**
 * Fails the build when the client outgrows its budget: what the public site loads before it can be used, what a first
 * visit of the app loads, each lazy chunk, the fonts. Writes the sizes to /sizes.json, which admins see.
 */
import { brotliCompressSync } from 'node:zlib'

import type { Plugin, Rolldown } from 'vite'

import { releaseOf } from './release.ts'

type Start = {
  name: string
  /** Needed beside the entry, which is imported at once. */
  chunks: string[]
  /**
   * What waits until somebody does something, by the names of the chunks. Every other dynamic import is taken for one
   * that runs by itself, and counts. Without it only static imports count.
   */
  later?: RegExp
  limit: number
}

type Limits = {
  starts: Start[]
  lazyChunk: number
  fonts: number
}

const KB = 1024

type Chunks = Map<string, Rolldown.OutputChunk>

/** Adds the chunk of `file` and all that it imports before anybody does something. */
function collect(file: string, chunks: Chunks, later: RegExp | undefined, found: Set<string>): void {
  const chunk = chunks.get(file)
  if (!chunk || found.has(file)) return
  found.add(file)
  const byItself = later ? chunk.dynamicImports.filter((each) => !later.test(chunks.get(each)?.name ?? '')) : []
  for (const imported of [...chunk.imports, ...byItself]) collect(imported, chunks, later, found)
}

/** Limits in KB after brotli. */
export function budget(limits: Limits): Plugin {
  return {
    name: 'budget',
    apply: 'build',
    generateBundle(_options, bundle) {
      const sizes = new Map<string, number>()
      const chunks: Chunks = new Map()
      let fonts = 0
      for (const item of Object.values(bundle)) {
        if (item.type === 'chunk') {
          chunks.set(item.fileName, item)
          sizes.set(item.fileName, brotliCompressSync(item.code).length)
        } else if (item.fileName.endsWith('.woff2')) fonts += item.source.length
      }
      const parts: { name: string; size_bytes: number; limit_bytes: number }[] = []
      const check = (what: string, size: number, limit: number) => {
        const told = `${what}: ${(size / KB).toFixed(1)} of ${limit} KB`
        if (size > limit * KB) this.error(`over budget: ${told}`)
        return told
      }
      const atOnce = new Set<string>()
      const told: string[] = []
      for (const { name, chunks: names, later, limit } of limits.starts) {
        const found = new Set<string>()
        for (const chunk of chunks.values()) {
          if (chunk.isEntry || (chunk.isDynamicEntry && names.includes(chunk.name)))
            collect(chunk.fileName, chunks, later, found)
        }
        let size = 0
        for (const file of found) {
          size += sizes.get(file) ?? 0
          atOnce.add(file)
        }
        parts.push({ name, size_bytes: size, limit_bytes: limit * KB })
        told.push(check(name, size, limit))
      }
      const lazy = [...sizes].filter(([file]) => !atOnce.has(file))
      for (const [file, size] of lazy) check(file, size, limits.lazyChunk)
      told.push(check('fonts', fonts, limits.fonts))
      const largest = Math.max(0, ...lazy.map(([, size]) => size))
      parts.push({ name: 'largest lazy chunk', size_bytes: largest, limit_bytes: limits.lazyChunk * KB })
      parts.push({ name: 'fonts', size_bytes: fonts, limit_bytes: limits.fonts * KB })
      const source = JSON.stringify({ release: releaseOf(bundle), parts })
      this.emitFile({ type: 'asset', fileName: 'sizes.json', source })
      this.info(told.join(', '))
    },
  }
}
