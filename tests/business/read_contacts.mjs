// Read a file of contacts as the wizard of the client does, and print the rows that it sends to import_contacts().
//
//     node read_contacts.mjs FOLDER_OF_THE_CLIENT FILE    {"rows": [row], "rejected": count}
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'

const [, , web, file] = process.argv
const { createServer } = await import(pathToFileURL(createRequire(join(web, 'package.json')).resolve('vite')))
const server = await createServer({
  configFile: false,
  root: web,
  logLevel: 'error',
  appType: 'custom',
  server: { middlewareMode: true, ws: false, watch: null },
  optimizeDeps: { noDiscovery: true },
  resolve: { alias: { '@': join(web, 'src') } },
})

const modules = ['features/crm-import/pieces.ts', 'features/crm-import/contacts-file.ts', 'lib/contact-csv-rows.ts']
const [{ piecesOf }, { gathering, rowsOf }, { checkDrafts }] = await Promise.all(
  modules.map((path) => server.ssrLoadModule(`/src/${path}`)),
)
const content = await readFile(file)
const add = gathering({ name: basename(file), size: content.length }, '')
let whole = null
for (const piece of piecesOf(basename(file), new Uint8Array(content))) whole = add(piece).whole ?? whole
const { rows, rejections } = await checkDrafts(rowsOf(whole, whole.guess))
process.stdout.write(JSON.stringify({ rows, rejected: rejections.length }))
await server.close()
