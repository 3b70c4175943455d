/** How the client is built, served while developing, and unit tested. */
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'

import { budget } from './vite/budget.ts'
import { chunkFileNames, chunkGroups } from './vite/chunks.ts'
import { inlineTheme } from './vite/inline-theme.ts'
import { precompress } from './vite/precompress.ts'
import { preloadFonts } from './vite/preload-fonts.ts'
import { prerender } from './vite/prerender.ts'
import { siteUrl } from './vite/site-url.ts'
import { sonnerWithoutStyle } from './vite/sonner-without-style.ts'
import { sourceMaps } from './vite/source-maps.ts'

const pdfjs = createRequire(import.meta.url)('pdfjs-dist/package.json') as { version: string }
const src = fileURLToPath(new URL('./src', import.meta.url))
// On a public page these wait for somebody: to do something, to be signed in, to meet a fault. That they really wait,
// site.spec.ts and bench/site.py see.
const later =
  /-page$|^(?:start-app|app|toasts|sections|error-logs|person-tools|bottom-navigation|outbox-line|limit-notice|site-footer|checkout|billing-sheet|pack-comparison|plan-list|vitals-report)$/
const gateway = process.env.SOCIO_GATEWAY ?? 'http://127.0.0.1:54321'
const served = ['/auth/v1', '/rest/v1', '/functions/v1', '/storage/v1', '/realtime/v1', '/config.js']

// pdf.js asks for its decoders by their own names: they change with its version only.
const assetFileNames = ({ names: [name = ''] }: { names: string[] }) =>
  name.endsWith('_nowasm_fallback.js')
    ? `assets/pdfjs-${pdfjs.version}/[name][extname]`
    : 'assets/[name]-[hash][extname]'

export default defineConfig({
  plugins: [
    react(),
    tailwindcss(),
    sonnerWithoutStyle(),
    sourceMaps(fileURLToPath(new URL('./source-maps', import.meta.url))),
    inlineTheme(),
    preloadFonts(/(?:instrument-sans|fraunces).*woff2$/),
    budget({
      starts: [
        { name: 'landing page', chunks: ['start-site', 'landing-page'], later, limit: 90 },
        { name: 'pricing', chunks: ['start-site', 'pricing-page'], later, limit: 90 },
        { name: 'store', chunks: ['start-site', 'store-page'], later, limit: 90 },
        { name: 'app', chunks: ['start-app'], limit: 160 },
      ],
      lazyChunk: 60,
      fonts: 90,
    }),
    prerender(siteUrl()),
    precompress(),
  ],
  resolve: {
    alias: {
      '@': src,
      // Radix locks scrolling through this package, whose <style> element a strict CSP refuses.
      'react-style-singleton': `${src}/lib/style-singleton.ts`,
    },
  },
  optimizeDeps: { exclude: ['sonner'] },
  server: {
    host: '127.0.0.1',
    proxy: Object.fromEntries(served.map((prefix) => [prefix, { target: gateway, ws: true }])),
  },
  build: {
    target: 'es2023',
    // data: URLs would need their own holes in the CSP.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    // Every browser that knows the rest of our JavaScript preloads modules by itself.
    modulePreload: { polyfill: false },
    rolldownOptions: { output: { codeSplitting: { groups: chunkGroups(src) }, assetFileNames, chunkFileNames } },
  },
  test: {
    environment: 'jsdom',
    setupFiles: ['./test/setup.ts'],
    restoreMocks: true,
    // A machine that other tests keep busy may be four times as slow.
    testTimeout: 20_000,
    projects: [
      // One document and one copy of every module for all files of a process: making them anew was nine tenths of the time.
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['src/**/*.test.{ts,tsx}', 'vite/**/*.test.ts'],
          exclude: ['**/*.fresh.test.{ts,tsx}'],
          isolate: false,
        },
      },
      // These open their modules as a new page does, or stand in for some of them.
      { extends: true, test: { name: 'fresh', include: ['src/**/*.fresh.test.{ts,tsx}'] } },
    ],
  },
})
