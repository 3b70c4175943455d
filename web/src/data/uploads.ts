/**
 * The documents on their way to the server, for the whole client: leaving the page does not stop them.
 *
 * Two at a time; what waits, pauses or failed stays in the list until the person decides.
 */
import { useSyncExternalStore } from 'react'

import { DOCUMENTS, pathOf } from '@/data/documents'
import { onSessionChange } from '@/data/session'
import { storageAddress, storageHeaders } from '@/data/storage'
import { MAX_DOCUMENT_BYTES, mimeOf } from '@/lib/document-types'
import { freeName, tidyName } from '@/lib/object-names'
import { startTransfer, type Transfer } from '@/lib/resumable-upload'
import { Speedometer } from '@/lib/speedometer'
import type { UploadFailure } from '@/strings/files'

type Progress =
  | { state: 'waiting' }
  | { state: 'sending'; bytesPerSecond: number | null }
  /** The connection or the server is away; the next attempt comes by itself. */
  | { state: 'interrupted' }
  | { state: 'paused' }
  | { state: 'done' }
  | { state: 'failed'; failure: UploadFailure }

export type UploadItem = { id: string; name: string; size: number; sentBytes: number } & Progress

type Job = { userId: string; file: File; transfer: Transfer | null; speed: Speedometer; onArrival: () => void }

const AT_ONCE = 2
const DONE_SHOWN_MS = 4_000

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
  /** Names that are taken on the server. */
  storedNames: readonly string[]
  /** Called once for each file that has arrived, whatever page is open by then. */
  onArrival: () => void
}

/** Queues files; one whose name is taken, here or on the server, gets a number. */
export function addUploads({ userId, files, storedNames, onArrival }: Batch): void {
  const taken = new Set([...storedNames, ...items.map(({ name }) => name)])
  for (const file of files) {
    const id = crypto.randomUUID()
    const name = freeName(tidyName(file.name), (one) => taken.has(one))
    const failure = refusalOf(file)
    taken.add(name)
    jobs.set(id, { userId, file, transfer: null, speed: new Speedometer(), onArrival })
    publish([
      ...items,
      { id, name, size: file.size, sentBytes: 0, ...(failure ? { state: 'failed', failure } : { state: 'waiting' }) },
    ])
  }
  startNext()
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
  if (job.transfer) {
    job.speed = new Speedometer()
    job.transfer.resume()
    return
  }
  const transfer = await begin(job, item)
  // Paused or given up while the code of the protocol was loading.
  const now = items.find((one) => one.id === id)?.state
  if (!now) await transfer.cancel()
  if (now === 'paused') await transfer.pause()
  job.transfer = transfer
}

function begin(job: Job, { id, name }: UploadItem): Promise<Transfer> {
  return startTransfer({
    file: job.file,
    endpoint: storageAddress('/upload/resumable'),
    owner: job.userId,
    metadata: {
      bucketName: DOCUMENTS,
      objectName: pathOf(job.userId, name),
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
    onDone: () => {
      change(id, { state: 'done' }, job.file.size)
      job.onArrival()
      // By then it stands in the archive: once is enough.
      window.setTimeout(() => removeUpload(id), DONE_SHOWN_MS)
      startNext()
    },
    onFailure: (failure) => {
      change(id, { state: 'failed', failure })
      startNext()
    },
  })
}

function isUnderWay(id: string): boolean {
  const state = items.find((item) => item.id === id)?.state
  return state === 'sending' || state === 'interrupted'
}

export function pauseUpload(id: string): void {
  change(id, { state: 'paused' })
  void jobs.get(id)?.transfer?.pause()
  startNext()
}

/** Goes on with a paused or failed upload, where it stopped. */
export function resumeUpload(id: string): void {
  change(id, { state: 'waiting' })
  startNext()
}

/** Takes an upload off the list; one that is not done is given up. */
export function removeUpload(id: string): void {
  const item = items.find((one) => one.id === id)
  if (item && item.state !== 'done') void jobs.get(id)?.transfer?.cancel()
  jobs.delete(id)
  publish(items.filter((one) => one.id !== id))
  startNext()
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
  for (const [id, { userId, transfer }] of jobs) {
    if (userId === state?.user.id) continue
    void transfer?.pause()
    jobs.delete(id)
    publish(items.filter((item) => item.id !== id))
  }
})
