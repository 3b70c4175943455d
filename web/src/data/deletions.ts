/**
 * Deletions of documents that can still be taken back: the document is off the screen at once, and off the server when
 * the time of «Annulla» is over, or when the page is left.
 */
import { useSyncExternalStore } from 'react'

import { deleteDocument, DOCUMENTS, pathOf, type StoredDocument } from '@/data/documents'
import { storageAddress, storageHeaders } from '@/data/storage'

export const UNDO_MS = 6_000

type Pending = { userId: string; document: StoredDocument; timer: number; headers: Record<string, string> }
type Outcome = { onDone: () => void | Promise<unknown>; onFailure: () => void }

const pending = new Map<string, Pending>()
const listeners = new Set<() => void>()
let hidden: ReadonlySet<string> = new Set()

function publish(next: ReadonlySet<string>): void {
  hidden = next
  for (const listener of listeners) listener()
}

const show = (id: string) => publish(new Set([...hidden].filter((one) => one !== id)))

/** Hides `document` now and deletes it when nobody has called `undoDeletion` in time. */
export function deleteSoon(userId: string, document: StoredDocument, outcome: Outcome): void {
  const { id } = document
  const timer = window.setTimeout(() => void carryOut(id, outcome), UNDO_MS)
  const entry: Pending = { userId, document, timer, headers: {} }
  pending.set(id, entry)
  publish(new Set([...hidden, id]))
  // For a page that is left meanwhile there is no time to ask for the token.
  void storageHeaders().then((headers) => (entry.headers = headers))
}

export function undoDeletion(id: string): void {
  const entry = pending.get(id)
  if (!entry) return
  window.clearTimeout(entry.timer)
  pending.delete(id)
  show(id)
}

async function carryOut(id: string, { onDone, onFailure }: Outcome): Promise<void> {
  const entry = pending.get(id)
  if (!entry) return
  pending.delete(id)
  try {
    await deleteDocument(entry.userId, entry.document.name)
    await onDone()
  } catch {
    onFailure()
  }
  show(id)
}

/** The ids that the list leaves out. */
export function useHiddenDocuments(): ReadonlySet<string> {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => hidden,
  )
}

window.addEventListener('pagehide', () => {
  for (const [id, { userId, document, headers, timer }] of pending) {
    window.clearTimeout(timer)
    pending.delete(id)
    void fetch(storageAddress(`/object/${DOCUMENTS}`), {
      method: 'DELETE',
      keepalive: true,
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: JSON.stringify({ prefixes: [pathOf(userId, document.name)] }),
    })
  }
})
