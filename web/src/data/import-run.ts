/**
 * The one import that is under way, for the whole client: leaving the page does not stop it, leaving Socio asks first.
 *
 * Rows go in portions, one after the other. A portion whose answer was lost is sent again: the server knows each row of a
 * batch by its number and takes it once. So an import that was cut off goes on with the same file.
 */
import { useSyncExternalStore } from 'react'

import { unwrap } from '@/data/postgrest'
import { currentUser, onSessionChange } from '@/data/session'
import { isReachable, subscribe as onConnection } from '@/lib/connection'
import { chunkAt, type ImportRow } from '@/lib/contact-csv-rows'
import { DataError } from '@/lib/server-errors'
import { supabase } from '@/lib/supabase'

export type MatchRule = 'aggiorna' | 'salta' | 'crea'
export type ImportConsent = { channels: string[]; purpose: 'marketing'; state: 'dato'; source: string; at: string }

export type ImportJob = {
  userId: string
  fileName: string
  kind: 'csv' | 'vcard' | 'xlsx'
  rows: ImportRow[]
  /** How many rows of the file cannot be sent. */
  rejected: number
  match: MatchRule
  consent: ImportConsent | null
  /** An import that was cut off and goes on. */
  batchId: string | null
}

type RowError = { row: number; message: string }
/** cells: what was left out of rows that came in. */
type Counts = { created: number; updated: number; skipped: number; errors: RowError[]; cells: RowError[] }

export type ImportRun = Counts & {
  fileName: string
  batchId: string | null
  total: number
  sent: number
  /** interrupted: the connection or the server is away, the next attempt comes by itself. */
  state: 'sending' | 'interrupted' | 'paused' | 'done' | 'failed'
}

const LONGEST_WAIT_MS = 15_000
const FIRST_ROWS = 50
const FEWEST_ROWS = 10
/** The server takes 500 in one call, and gives up after eight seconds. */
const MOST_ROWS = 200
const PORTION_MS = 1_000
const QUERY_CANCELED = '57014'

let run: ImportRun | null = null
/** Whose it is, and what ends it when somebody else is signed in here. */
let owner: string | null = null
let cutOff = new AbortController()
let resume: (() => void) | null = null
let isStopped = false
const listeners = new Set<() => void>()

function publish(change: Partial<ImportRun> | null): void {
  run = change && run ? { ...run, ...change } : null
  for (const listener of listeners) listener()
}

/** The import that runs or has just ended; null when there is none. */
export function useImportRun(): ImportRun | null {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => run,
  )
}

const askBeforeLeaving = (event: BeforeUnloadEvent) => event.preventDefault()

/** Sends the rows of `job`; `onChange` is called when contacts have changed. Failures are told by the run's state. */
export async function startImport(job: ImportJob, onChange: () => void): Promise<void> {
  const { userId, fileName, batchId, rows } = job
  const { signal } = (cutOff = new AbortController())
  owner = userId
  run = {
    fileName,
    batchId,
    total: rows.length,
    sent: 0,
    created: 0,
    updated: 0,
    skipped: 0,
    errors: [],
    cells: [],
    state: 'sending',
  }
  isStopped = false
  publish({})
  window.addEventListener('beforeunload', askBeforeLeaving)
  try {
    await send(job, (call) => insisting(call, userId, signal))
    publish({ state: 'done' })
  } catch {
    // Who began it is gone: what is on the screen now is not theirs.
    if (signal.aborted) return
    publish({ state: 'failed' })
  }
  window.removeEventListener('beforeunload', askBeforeLeaving)
  onChange()
}

type Insist = <T>(call: () => Promise<T>) => Promise<T>

async function send(job: ImportJob, insist: Insist): Promise<void> {
  const { fileName, kind, rows, rejected, match, consent, batchId } = job
  const begin = { _file_name: fileName, _kind: kind, _total: rows.length, _consent: consent, _rejected: rejected }
  // Asked once: an answer that was lost leaves an empty import in the list, never rows twice.
  const id = batchId ?? (await insist(async () => unwrap(await supabase.rpc('begin_import', begin))))
  publish({ batchId: id })
  let size = FIRST_ROWS
  while (run && run.sent < rows.length) {
    const chunk = chunkAt(rows, run.sent, size)
    const started = performance.now()
    // One after the other: the server finds in each what came before it.
    // oxlint-disable-next-line no-await-in-loop
    const counts = await insist(() => sendRows(id, chunk, match))
    size = counts ? nextSize(size, performance.now() - started) : Math.max(FEWEST_ROWS, size >> 2)
    if (counts) {
      publish({
        sent: run.sent + chunk.length,
        created: run.created + counts.created,
        updated: run.updated + counts.updated,
        skipped: run.skipped + counts.skipped,
        errors: [...run.errors, ...counts.errors],
        cells: [...run.cells, ...counts.cells],
      })
    }
  }
  await insist(async () => unwrap(await supabase.rpc('finish_import', { _batch: id })))
}

/** Null when the database ran out of time: nothing of the portion was taken. */
async function sendRows(batch: string, rows: ImportRow[], match: MatchRule): Promise<Counts | null> {
  try {
    const call = { _batch: batch, _rows: rows, _match: match }
    return unwrap(await supabase.rpc('import_contacts', call)) as unknown as Counts
  } catch (error) {
    if (error instanceof DataError && error.code === QUERY_CANCELED && rows.length > FEWEST_ROWS) return null
    throw error
  }
}

/** As many rows as take about a second: the bar moves, and a server that is busy is given less. */
function nextSize(size: number, tookMs: number): number {
  const fitting = Math.round((size * PORTION_MS) / Math.max(tookMs, 1))
  return Math.max(FEWEST_ROWS, Math.min(MOST_ROWS, size * 2, fitting))
}

/**
 * Runs `call` until the server has answered it; waits while the run is paused.
 * @throws DataError when it was refused, and what `signal` says when somebody else than `userId` is signed in
 */
async function insisting<T>(call: () => Promise<T>, userId: string, signal: AbortSignal, attempt = 0): Promise<T> {
  if (isStopped) await new Promise<void>((resolve) => (resume = resolve))
  signal.throwIfAborted()
  try {
    // Of a change in another tab we are told a moment after the calls use it.
    if ((await currentUser()).id !== userId && !signal.aborted) forget()
    signal.throwIfAborted()
    const answer = await call()
    signal.throwIfAborted()
    if (!isStopped) publish({ state: 'sending' })
    return answer
  } catch (error) {
    signal.throwIfAborted()
    const isRefused = error instanceof DataError && error.status >= 400 && error.status < 500 && error.status !== 429
    if (isRefused) throw error
    if (!isStopped) publish({ state: 'interrupted' })
    await untilReachable(Math.min(LONGEST_WAIT_MS, 1_000 * 2 ** attempt))
    return insisting(call, userId, signal, attempt + 1)
  }
}

/** Ends with the time, or sooner when any other request of the page has been answered. */
function untilReachable(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const stop = onConnection(() => isReachable() && end())
    const timer = window.setTimeout(end, milliseconds)
    function end() {
      window.clearTimeout(timer)
      stop()
      resolve()
    }
  })
}

/** After the portion that is on its way. */
export function pauseImport(): void {
  isStopped = true
  publish({ state: 'paused' })
}

export function resumeImport(): void {
  isStopped = false
  publish({ state: 'sending' })
  resume?.()
}

/** Takes an import that has ended off the screen. */
export function dismissImport(): void {
  publish(null)
}

function forget(): void {
  cutOff.abort()
  owner = null
  isStopped = false
  window.removeEventListener('beforeunload', askBeforeLeaving)
  publish(null)
  resume?.()
}

// Nobody's contacts go on under another person's name, nor stay on their screen.
onSessionChange((state) => {
  if (owner !== null && owner !== state?.user.id) forget()
})
