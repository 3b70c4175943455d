/**
 * Writes every public page as HTML, so that its text is there before any script runs, and what tells robots about them.
 *
 * Of the build's index.html, which is the shell of the app, it makes app.html (addresses of the app), index.html (the
 * landing page), <path>/index.html and 404.html; routes.json lists the app's addresses for the server, sitemap.xml,
 * robots.txt and security.txt are for robots; offline/index.html and service-worker.js are for when there is no network.
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

import { build, type Plugin, type ResolvedConfig, type Rolldown } from 'vite'

import type * as Site from '../src/app/prerender.tsx'
import { replaced, withHead } from './head.ts'
import { filesForRobots } from './robots.ts'
import { serviceWorkerFor } from './service-worker.ts'

const ENTRY = 'src/app/prerender.tsx'
const MARK = '<div id="root"></div>'
const SCRIPTS = /\s*(?:<script .*?<\/script>|<link rel="modulepreload".*?>)/gs
const NOSCRIPT = /\s*<noscript>.*?<\/noscript>/s

export function prerender(siteUrl: string): Plugin {
  let config: ResolvedConfig
  return {
    name: 'prerender',
    apply: 'build',
    configResolved(resolved) {
      config = resolved
    },
    async writeBundle({ dir = '' }, bundle) {
      const site = await load(config)
      const write = async (name: string, text: string) => {
        const path = join(dir, name)
        await mkdir(dirname(path), { recursive: true })
        await writeFile(path, text)
      }
      const shell = await readFile(join(dir, 'index.html'), 'utf8')
      const chunks = Object.values(bundle).filter((item) => item.type === 'chunk')
      const page = async (of: (typeof site.sitePages)[number]) => {
        const code = [chunkOf('start-site', chunks), chunkOf(moduleName(of.path), chunks)]
        const html = withHead(shell, of, site.metaOf(of), siteUrl, preloadTags(code, bundle, shell))
        return replaced(replaced(unhurried(html), NOSCRIPT, ''), MARK, `<div id="root">${await site.render(of)}</div>`)
      }
      const { sitePages, notFoundPage, offlinePage } = site
      const offline = alone(shell, offlinePage, siteUrl)
      const metas = sitePages.map((each) => ({ path: each.path, ...site.metaOf(each) }))
      const files: [string, string][] = [
        ['404.html', await page(notFoundPage)],
        [join(offlinePage.path, 'index.html'), offline],
        ['service-worker.js', await serviceWorkerFor(config, bundle, [shell, offline])],
        ['routes.json', JSON.stringify(site.appPaths)],
        ...(await Promise.all(
          sitePages.map(async (each): Promise<[string, string]> => [join(each.path, 'index.html'), await page(each)]),
        )),
        ...filesForRobots(metas, site.privatePaths, siteUrl),
      ]
      await Promise.all(files.map(([name, text]) => write(name, text)))
      // Last: by its time a server sees that there is another build.
      await write('app.html', shell)
    },
  }
}

/** `/faq` is the page of faq-page.tsx. */
const moduleName = (path: string): string => `${{ '/': 'landing', '*': 'not-found' }[path] ?? path.slice(1)}-page`

/** Text, style and pictures first: whoever reads can wait for the code a moment. */
const unhurried = (html: string): string =>
  html.replaceAll(/(?<=(?:type="module"|rel="modulepreload") )/g, 'fetchpriority="low" ')

/** A page that needs nothing but the style. */
function alone(shell: string, page: { path: string; title: string; render: () => string }, siteUrl: string): string {
  const meta = { description: page.title, isIndexed: false, data: [] }
  const html = withHead(shell, page, meta, siteUrl, '').replaceAll(SCRIPTS, '')
  return replaced(replaced(html, NOSCRIPT, ''), MARK, page.render())
}

function chunkOf(name: string, chunks: Rolldown.OutputChunk[]): Rolldown.OutputChunk {
  const found = chunks.find((chunk) => chunk.isDynamicEntry && chunk.name === name)
  if (!found) throw new Error(`no chunk is called ${name}`)
  return found
}

/** Lets the browser ask for all the code of the page at once, beside that which the shell names already. */
function preloadTags(chunks: Rolldown.OutputChunk[], bundle: Rolldown.OutputBundle, shell: string): string {
  const files = new Set<string>()
  const add = (name: string) => {
    const item = bundle[name]
    if (item?.type !== 'chunk' || shell.includes(name) || files.has(name)) return
    files.add(name)
    for (const imported of item.imports) add(imported)
  }
  for (const { fileName } of chunks) add(fileName)
  return Array.from(files, (file) => `<link rel="modulepreload" crossorigin href="/${file}">`).join('\n    ')
}

/** The pages as a module of this process: bundled with all their packages, with the same names of assets. */
async function load(config: ResolvedConfig): Promise<typeof Site> {
  const outDir = await mkdtemp(join(tmpdir(), 'prerender-'))
  try {
    await build({
      root: config.root,
      configFile: false,
      logLevel: 'error',
      resolve: { alias: config.resolve.alias },
      ssr: { noExternal: true },
      build: {
        ssr: ENTRY,
        outDir,
        copyPublicDir: false,
        assetsInlineLimit: 0,
        rolldownOptions: { output: { entryFileNames: 'site.mjs', codeSplitting: false } },
      },
    })
    return (await import(pathToFileURL(join(outDir, 'site.mjs')).href)) as typeof Site
  } finally {
    await rm(outDir, { recursive: true })
  }
}
