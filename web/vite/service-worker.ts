/** Builds src/service-worker.ts for one build of the client: it names the files to keep, and their version. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { build, type ResolvedConfig, type Rolldown } from 'vite'

const ENTRY = 'src/service-worker.ts'
/** pdf.js is half of the client, and documents need the network anyway. */
const MAX_BYTES = 300_000

type Built = Rolldown.OutputBundle[string]

/** Code, style and fonts of every screen. */
function isKept(item: Built): boolean {
  if (item.type === 'chunk') return item.code.length <= MAX_BYTES
  return /-[\w-]{8}\.(?:css|woff2)$/.test(item.fileName)
}

/** The worker's code. `pages` are what it keeps besides: with them the version changes. */
export async function serviceWorkerFor(
  config: ResolvedConfig,
  bundle: Rolldown.OutputBundle,
  pages: string[],
): Promise<string> {
  const items = Object.values(bundle)
  const start = items.find((item) => item.type === 'chunk' && item.isEntry)
  if (!start) throw new Error('the build has no entry')
  const assets = items.filter(isKept).map(({ fileName }) => `/${fileName}`)
  const publicFiles = await Promise.all(
    ['theme.js', 'icon.svg'].map((name) => readFile(join(config.publicDir, name), 'utf8')),
  )
  const hash = createHash('sha256').update(JSON.stringify([assets, pages, publicFiles]))
  const facts = { version: hash.digest('hex').slice(0, 12), entry: `/${start.fileName}`, assets }
  const built = await build({
    root: config.root,
    configFile: false,
    logLevel: 'error',
    resolve: { alias: config.resolve.alias },
    define: { __BUILD__: JSON.stringify(facts) },
    build: {
      write: false,
      copyPublicDir: false,
      modulePreload: false,
      target: 'es2023',
      rolldownOptions: { input: join(config.root, ENTRY), output: { format: 'iife' } },
    },
  })
  const { output } = (Array.isArray(built) ? built[0] : built) as Rolldown.RolldownOutput
  return output[0].code
}
