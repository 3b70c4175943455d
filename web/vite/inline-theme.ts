/** Writes the theme script into the pages, so that the first paint waits for no request; the server allows it by hash. */
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

import type { Plugin } from 'vite'

import { replaced } from './head.ts'

const SOURCE = fileURLToPath(new URL('../public/theme.js', import.meta.url))
const REMARKS = /^ *\/\/.*\n/gm

export function inlineTheme(): Plugin {
  return {
    name: 'inline-theme',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      async handler(html) {
        const script = (await readFile(SOURCE, 'utf8')).replaceAll(REMARKS, '').trim()
        return replaced(html, '<script src="/theme.js"></script>', `<script>${script}</script>`)
      },
    },
  }
}
