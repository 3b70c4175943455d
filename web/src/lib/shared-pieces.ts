/**
 * What other applications have shared with this one: the service worker keeps it, the page of `paths.share` asks what to
 * make of it. It waits in this browser until it is used or refused, also through a sign-in; never longer than a week.
 */
import { paths } from '@/paths'

/** The one cache that a new version leaves alone. */
export const SHARED = 'socio-condivisi'

const LIFE_MS = 7 * 24 * 60 * 60 * 1000
/** As long as a note may be. */
const MAX_TEXT = 20_000
const NAME = 'x-name'
const DATE = 'date'

export type SharedPiece = { id: string; at: number } & ({ kind: 'text'; text: string } | { kind: 'file'; file: File })

const addressOf = (id: string): string => `${paths.share}/${id}`
const idIn = (url: string): string => url.slice(url.lastIndexOf('/') + 1)

/** The fields of the manifest's share_target, in one text; browsers put a link into `text` or `url`, or into both. */
export function sharedText(form: FormData): string {
  const fields = ['title', 'text', 'url'].map((name) => form.get(name))
  const texts = fields.filter((field) => typeof field === 'string').map((field) => field.trim())
  return texts
    .filter((text, index) => text && !texts.some((other, at) => at > index && other.includes(text)))
    .join('\n')
    .slice(0, MAX_TEXT)
}

/** Keeps every file of a form, and its text. @throws when the browser has no room */
export async function keepShared(form: FormData): Promise<void> {
  const cache = await caches.open(SHARED)
  const keep = (content: Blob | string, headers: Record<string, string>) =>
    cache.put(
      addressOf(crypto.randomUUID()),
      new Response(content, { headers: { [DATE]: new Date().toUTCString(), ...headers } }),
    )
  const text = sharedText(form)
  const files = form.getAll('files').filter((field) => typeof field !== 'string' && field.size > 0) as File[]
  await Promise.all([
    ...files.map((file) => keep(file, { [NAME]: encodeURIComponent(file.name), 'content-type': file.type })),
    ...(text ? [keep(text, {})] : []),
  ])
}

/** All that waits, the latest first. What waited for too long is deleted. */
export async function sharedPieces(): Promise<SharedPiece[]> {
  if (!('caches' in globalThis)) return []
  const cache = await caches.open(SHARED)
  const requests = await cache.keys()
  const read = await Promise.all(requests.map(async ({ url }) => pieceOf(idIn(url), await cache.match(url))))
  const pieces = read.filter((piece) => piece !== null)
  const isOld = ({ at }: SharedPiece) => at < Date.now() - LIFE_MS
  await Promise.all(pieces.filter(isOld).map(({ id }) => dropShared(id)))
  return pieces.filter((piece) => !isOld(piece)).toSorted((a, b) => b.at - a.at)
}

async function pieceOf(id: string, kept: Response | undefined): Promise<SharedPiece | null> {
  if (!kept) return null
  const at = Date.parse(kept.headers.get(DATE) ?? '')
  const name = kept.headers.get(NAME)
  if (name === null) return { id, at, kind: 'text', text: await kept.text() }
  const content = await kept.blob()
  return { id, at, kind: 'file', file: new File([content], decodeURIComponent(name), { type: content.type }) }
}

/** The file of that id, while it waits. */
export async function sharedFile(id: string): Promise<File | null> {
  const piece = (await sharedPieces()).find((one) => one.id === id)
  return piece?.kind === 'file' ? piece.file : null
}

export async function dropShared(id: string): Promise<void> {
  await (await caches.open(SHARED)).delete(addressOf(id))
}

/** Leaves nothing to the next person in this browser. */
export async function dropAllShared(): Promise<void> {
  if ('caches' in globalThis) await caches.delete(SHARED)
}
