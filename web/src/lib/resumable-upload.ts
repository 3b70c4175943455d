/**
 * One file on its way to the server in pieces, by TUS (https://tus.io/protocols/resumable-upload).
 *
 * What has arrived counts: after a lost connection, a restart of the server or of the page the server is asked how much
 * it has, and the rest follows. The page remembers the address of an upload by the file's name, size and date.
 */
import type { DetailedError, Upload } from 'tus-js-client'

import { isAliveUpload, uploadPrefix } from '@/lib/personal-keys'
import type { UploadFailure } from '@/strings/files'

/** Hosted Supabase takes pieces of exactly this size. */
const CHUNK_BYTES = 6 * 1024 * 1024
const FINAL = new Set<UploadFailure>(['too_large', 'empty', 'type', 'changed'])
/** Counted anew after every piece that gets through. */
const RETRY_DELAYS_MS = [0, 500, 1000, 2000, 3000, 5000, 5000, 10_000, 10_000, 20_000, 30_000, 60_000]

type Listener = {
  onProgress: (sentBytes: number) => void
  /** The connection or the server is away; the next attempt comes by itself. */
  onInterrupted: () => void
  /** `objectName`: where the file lies, which an earlier visit may have chosen. */
  onDone: (objectName: string) => void
  onFailure: (failure: UploadFailure) => void
}

type Options = Listener & {
  file: File
  endpoint: string
  metadata: { bucketName: string; objectName: string; contentType: string; cacheControl: string }
  /** Tells this person's uploads from others' in the same browser. */
  owner: string
  /** Asked before each request, so that a token which ran out meanwhile is a new one. */
  headers: () => Promise<Record<string, string>>
}

export type Transfer = {
  pause: () => Promise<void>
  resume: () => void
  /** Stops for good; the server forgets what it has. */
  cancel: () => Promise<void>
}

/** Whether a second attempt would end the same way. */
export const isFinal = (failure: UploadFailure): boolean => FINAL.has(failure)

const fingerprintOf = (owner: string, file: File) => [owner, file.name, file.size, file.lastModified].join('|')

/** The names of the files whose upload began in this browser and has not ended: chosen again, they go on. */
export function unfinishedUploads(owner: string): string[] {
  const prefix = uploadPrefix(owner)
  try {
    return Object.keys(window.localStorage)
      .filter((key) => key.startsWith(prefix) && isAliveUpload(JSON.parse(window.localStorage.getItem(key) ?? '{}')))
      .map((key) => key.slice(prefix.length).split('|').slice(0, -2).join('|'))
  } catch {
    // A browser without storage remembers nothing.
    return []
  }
}

/** Loads the protocol's code and starts; an earlier upload of the same file is taken up where it stopped. */
export async function startTransfer(options: Options): Promise<Transfer> {
  const { Upload } = await import('tus-js-client')
  const { file, endpoint, metadata, owner, headers, onProgress, onDone } = options
  let isSecondStart = false
  const upload: Upload = new Upload(file, {
    endpoint,
    metadata,
    chunkSize: CHUNK_BYTES,
    retryDelays: RETRY_DELAYS_MS,
    removeFingerprintOnSuccess: true,
    fingerprint: () => Promise.resolve(fingerprintOf(owner, file)),
    onBeforeRequest: async (request) => {
      for (const [name, value] of Object.entries(await headers())) request.setHeader(name, value)
    },
    // With an endpoint, tus-js-client would begin anew when the server is away while it asks for the offset.
    onUploadUrlAvailable: () => void (upload.options.endpoint = null),
    onShouldRetry: (error, attempt) => {
      const again = isPassing(error, attempt)
      if (again) options.onInterrupted()
      if (again && !error.originalResponse) void giveUpIfUnreadable(upload, options)
      return again
    },
    onProgress,
    onSuccess: () => onDone(upload.options.metadata?.objectName ?? ''),
    onError: (error) => {
      if (isForgotten(error) && !isSecondStart) {
        isSecondStart = true
        beginAnew(upload, endpoint)
      } else {
        void report(error, upload, options)
      }
    },
  })
  const earlier = (await upload.findPreviousUploads()).find(isAliveUpload)
  if (earlier) {
    upload.resumeFromPreviousUpload(earlier)
    upload.options.metadata = earlier.metadata
    upload.options.endpoint = null
  }
  upload.start()
  return {
    pause: () => upload.abort(),
    resume: () => upload.start(),
    cancel: () => cancel(upload),
  }
}

async function report(error: Error, upload: Upload, { file, onFailure }: Options): Promise<void> {
  const failure = await failureOf(error, file)
  // Nothing would change by sending it again: neither side keeps it.
  if (isFinal(failure)) await cancel(upload)
  onFailure(failure)
}

/** The server no longer knows the upload, mostly because it expired. An answer to HEAD has no body to say more. */
function isForgotten(error: Error | DetailedError): boolean {
  if (!('originalRequest' in error)) return false
  const method = error.originalRequest.getMethod()
  const signs = method === 'HEAD' ? [400, 403, 404, 410] : method === 'PATCH' ? [404, 410] : []
  return signs.includes(meantStatus(error))
}

function beginAnew(upload: Upload, endpoint: string): void {
  upload.url = null
  upload.options.uploadUrl = null
  upload.options.endpoint = endpoint
  upload.start()
}

async function cancel(upload: Upload): Promise<void> {
  try {
    await upload.abort(true)
  } catch {
    // The server is away or has forgotten it already; it does so by itself after a day.
  }
}

const statusOf = (error: DetailedError) => error.originalResponse?.getStatus() ?? 0

function isPassing(error: DetailedError, attempt: number): boolean {
  const status = statusOf(error)
  if (status === 507) return false
  if (status === 401) return attempt < 2
  // Another piece arrived than we knew of: asking for the offset settles it.
  if (status === 409) return error.originalRequest.getMethod() === 'PATCH'
  return status === 0 || status === 408 || status === 423 || status === 429 || status >= 500
}

async function isReadable(file: File): Promise<boolean> {
  try {
    await file.slice(0, 1).arrayBuffer()
    return true
  } catch {
    return false
  }
}

/** Browsers report a file that was moved or changed as a lost connection, which no retry would heal. */
async function giveUpIfUnreadable(upload: Upload, { file, onFailure }: Options): Promise<void> {
  if (await isReadable(file)) return
  await cancel(upload)
  onFailure('changed')
}

async function failureOf(error: Error | DetailedError, file: File): Promise<UploadFailure> {
  if (!('originalRequest' in error)) return (await isReadable(file)) ? 'unexpected' : 'changed'
  switch (meantStatus(error)) {
    case 0:
      return 'unreachable'
    case 401:
    case 403:
      return 'session'
    case 402:
      return 'quota'
    case 409:
      return 'taken'
    case 413:
      return 'too_large'
    case 415:
      return 'type'
    case 429:
      // On the wire it is a server that is busy.
      return statusOf(error) === 429 ? 'unexpected' : 'too_many'
    case 507:
      return 'full'
    default:
      return 'unexpected'
  }
}

/** Storage says in the body what it means; on the wire most refusals are a 400. */
function meantStatus(error: DetailedError): number {
  try {
    const { statusCode } = JSON.parse(error.originalResponse?.getBody() ?? '') as { statusCode?: string | number }
    return Number(statusCode) || statusOf(error)
  } catch {
    return statusOf(error)
  }
}
