/**
 * The documents on their way to the server, for the whole client: leaving the page does not stop them.
 *
 * Two at a time; what waits, pauses or failed stays in the list until the person decides. What has arrived is handed over
 * to be read, and from then on the queue of the readings shows it.
 */
import { useSyncExternalStore } from 'react'

import { readDocument } from '@/data/document-queue'
import { DOCUMENTS } from '@/data/documents'
import { onSessionChange } from '@/data/session'
import { storageAddress, storageHeaders } from '@/data/storage'
import { MAX_DOCUMENT_BYTES, mimeOf } from '@/lib/document-types'
import { keyOf, tidyName } from '@/lib/object-names'
import { startTransfer, type Transfer } from '@/lib/resumable-upload'
import { Speedometer } from '@/lib/speedometer'
import type { UploadFailure } from '@/strings/files'

type Progress =
  | { state: 'waiting' }
  | { state: 'sending'; bytesPerSecond: number | null }
  /** The connection or the server is away; the next attempt comes by itself. */
  | { state: 'interrupted' }
  | { state: 'paused' }
  | { state: 'failed'; failure: UploadFailure }

export type UploadItem = { id: string; name: string; size: number; sentBytes: number } & Progress

type Job = {
  userId: string
  file: File
  /** 'loading' while the code of the protocol comes: nobody else begins then. */
  transfer: Transfer | 'loading' | null
  /** Where the file lies once it has arrived. */
  path: string | null
  /** Its person went while it was under way: it stays to be taken up again. */
  isLeft?: true
  speed: Speedometer
  onArrival: Batch['onArrival']
}

const AT_ONCE = 2

let items: readonly UploadItem[] = []
const jobs = new Map<string, Job>()
const listeners = new Set<() => void>()

function publish(next: readonly UploadItem[]): void {
  items = next
  for (const listener of listeners) listener()
}

function change(id: string, progress: Progress, sentBytes?: number): void {
  publish(
    items.map(({ name, size, ...item }) =>
      item.id === id
        ? { id, name, size, sentBytes: sentBytes ?? item.sentBytes, ...progress }
        : { name, size, ...item },
    ),
  )
}

function refusalOf(file: File): UploadFailure | null {
  if (!mimeOf(file.name)) return 'type'
  if (file.size === 0) return 'empty'
  return file.size > MAX_DOCUMENT_BYTES ? 'too_large' : null
}

type Batch = {
  userId: string
  files: readonly File[]
  /** Called once for each file that is there to be read, whatever page is open by then. */
  onArrival: (documentId: string, name: string) => Promise<unknown>
}

/** Answers the ids of the new items. */
export function addUploads({ userId, files, onArrival }: Batch): string[] {
  const ids = files.map(() => crypto.randomUUID())
  for (const [index, file] of files.entries()) {
    const id = ids[index] ?? ''
    const name = tidyName(file.name)
    const failure = refusalOf(file)
    jobs.set(id, { userId, file, transfer: null, path: null, speed: new Speedometer(), onArrival })
    publish([
      ...items,
      { id, name, size: file.size, sentBytes: 0, ...(failure ? { state: 'failed', failure } : { state: 'waiting' }) },
    ])
  }
  startNext()
  return ids
}

function startNext(): void {
  const busy = items.filter(({ state }) => state === 'sending' || state === 'interrupted').length
  for (const { id } of items.filter(({ state }) => state === 'waiting').slice(0, Math.max(0, AT_ONCE - busy))) {
    void send(id)
  }
}

async function send(id: string): Promise<void> {
  const job = jobs.get(id)
  const item = items.find((one) => one.id === id)
  if (!job || !item) return
  change(id, { state: 'sending', bytesPerSecond: null })
  if (job.path) {
    await handOver(id, job, job.path)
    return
  }
  if (job.transfer === 'loading') return
  if (job.transfer) {
    job.speed = new Speedometer()
    job.transfer.resume()
    return
  }
  job.transfer = 'loading'
  try {
    job.transfer = await begin(job, item)
  } catch {
    job.transfer = null
    if (isUnderWay(id)) fail(id, 'unreachable')
    return
  }
  // Meanwhile the person may have paused it, put it back into the queue, given it up, or left.
  const now = items.find((one) => one.id === id)?.state
  if (!now && !job.isLeft) await job.transfer.cancel()
  else if (now !== 'sending') await job.transfer.pause()
}

function begin(job: Job, { id, name }: UploadItem): Promise<Transfer> {
  return startTransfer({
    file: job.file,
    endpoint: storageAddress('/upload/resumable'),
    owner: job.userId,
    metadata: {
      bucketName: DOCUMENTS,
      // In a folder of its own: two files may have the same name.
      objectName: `${job.userId}/${id}/${keyOf(name)}`,
      contentType: mimeOf(name) ?? '',
      cacheControl: '3600',
    },
    headers: storageHeaders,
    onProgress: (sentBytes) => {
      if (isUnderWay(id)) {
        change(id, { state: 'sending', bytesPerSecond: job.speed.at(sentBytes, performance.now()) }, sentBytes)
      }
    },
    onInterrupted: () => {
      job.speed = new Speedometer()
      if (isUnderWay(id)) change(id, { state: 'interrupted' })
    },
    onDone: (path) => void handOver(id, job, path),
    onFailure: (failure) => fail(id, failure),
  })
}

function fail(id: string, failure: UploadFailure): void {
  change(id, { state: 'failed', failure })
  startNext()
}

/** A file that has arrived is read; the queue shows it from then on. */
async function handOver(id: string, job: Job, path: string): Promise<void> {
  job.path = path
  change(id, { state: 'sending', bytesPerSecond: null }, job.file.size)
  try {
    const name = tidyName(job.file.name)
    const documentId = await readDocument(path, name)
    await job.onArrival(documentId, name)
    drop(id)
  } catch {
    change(id, { state: 'failed', failure: 'unread' })
  }
  startNext()
}

/** What of a job can be stopped already; what still loads looks at the state when it is there. */
function started(job: Job | undefined): Transfer | null {
  return job?.transfer === 'loading' ? null : (job?.transfer ?? null)
}

function isUnderWay(id: string): boolean {
  const state = items.find((item) => item.id === id)?.state
  return state === 'sending' || state === 'interrupted'
}

export function pauseUpload(id: string): void {
  change(id, { state: 'paused' })
  void started(jobs.get(id))?.pause()
  startNext()
}

/** Goes on with a paused or failed upload, where it stopped. */
export function resumeUpload(id: string): void {
  change(id, { state: 'waiting' })
  startNext()
}

/** Gives an upload up and takes it off the list; a file that has arrived stays, and is read a little later. */
export function removeUpload(id: string): void {
  const job = jobs.get(id)
  if (!job?.path) void started(job)?.cancel()
  drop(id)
  startNext()
}

function drop(id: string): void {
  jobs.delete(id)
  publish(items.filter((one) => one.id !== id))
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function useUploads(): readonly UploadItem[] {
  return useSyncExternalStore(subscribe, () => items)
}

// Back on the network: what gave up meanwhile goes on.
window.addEventListener('online', () => {
  for (const item of items) if (item.state === 'failed' && item.failure === 'unreachable') resumeUpload(item.id)
})

// The browser asks before a tab is closed on an unfinished upload.
window.addEventListener('beforeunload', (event) => {
  if (items.some(({ state }) => state === 'sending' || state === 'interrupted' || state === 'waiting')) {
    event.preventDefault()
  }
})

// Nobody's files go on under another person's name.
onSessionChange((state) => {
  for (const [id, job] of jobs) {
    if (job.userId === state?.user.id) continue
    job.isLeft = true
    void started(job)?.pause()
    drop(id)
  }
})
