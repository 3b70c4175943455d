/**
 * Deleting conversations, which «Annulla» takes back: they leave the list at once and the server when the toast is gone.
 * What is to be deleted is written down in the browser, so that a tab that was closed meanwhile ends it at the next visit.
 */
import { useEffect, useEffectEvent, useSyncExternalStore } from 'react'
import { toast } from 'sonner'

import { useDeleteConversations } from '@/data/conversations'
import { currentUser } from '@/data/session'
import { removalsKey } from '@/lib/personal-keys'
import { local } from '@/lib/storage'

const UNDO_MS = 8_000
/** No toast lives so long, not even one that somebody points at: its tab is gone. */
const STALE_MS = 10 * 60_000

/** When each was deleted, by its id. */
type Removals = Readonly<Record<string, number>>

const listeners = new Set<() => void>()

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  // Other tabs hide and show it as well.
  window.addEventListener('storage', listener)
  return () => {
    listeners.delete(listener)
    window.removeEventListener('storage', listener)
  }
}

const written = (userId: string) => local.getItem(removalsKey(userId)) ?? '{}'

function removals(userId: string): Removals {
  try {
    return JSON.parse(written(userId)) as Removals
  } catch {
    return {}
  }
}

function add(userId: string, ids: readonly string[]): void {
  write(userId, { ...removals(userId), ...Object.fromEntries(ids.map((id) => [id, Date.now()])) })
}

function takeBack(userId: string, ids: readonly string[]): void {
  write(userId, Object.fromEntries(Object.entries(removals(userId)).filter(([id]) => !ids.includes(id))))
}

function write(userId: string, next: Removals): void {
  if (Object.keys(next).length > 0) local.setItem(removalsKey(userId), JSON.stringify(next))
  else local.removeItem(removalsKey(userId))
  for (const listener of listeners) listener()
}

/** The ids of conversations that are about to be deleted, and are shown no more. */
export function useRemoved(userId: string): ReadonlySet<string> {
  useSyncExternalStore(subscribe, () => written(userId))
  return new Set(Object.keys(removals(userId)))
}

const isSignedIn = (userId: string) =>
  currentUser().then(
    ({ id }) => id === userId,
    () => false,
  )

/** Deletes on the server. What it has not deleted stays written down, and is deleted at a later visit. */
function useErase(userId: string): (ids: readonly string[]) => Promise<void> {
  const { mutateAsync } = useDeleteConversations(userId)
  return async (ids) => {
    // To somebody else the server would say that all went well, and delete nothing.
    if (!(await isSignedIn(userId))) return
    try {
      await mutateAsync(ids)
      takeBack(userId, ids)
    } catch {
      if (await isSignedIn(userId)) toast.error('Non siamo riusciti a eliminare: riproviamo alla prossima visita')
    }
  }
}

/** Takes conversations off the list, with the way back in a toast. */
export function useRemoval(userId: string): (ids: readonly string[], title?: string | null) => void {
  const erase = useErase(userId)
  return (ids, title) => {
    let isOver = false
    const once = (work: () => void) => () => {
      if (!isOver) work()
      isOver = true
    }
    add(userId, ids)
    toast(ids.length === 1 ? 'Conversazione eliminata' : `${ids.length} conversazioni eliminate`, {
      description: title,
      duration: UNDO_MS,
      action: { label: 'Annulla', onClick: once(() => takeBack(userId, ids)) },
      onAutoClose: once(() => void erase(ids)),
      onDismiss: once(() => void erase(ids)),
    })
  }
}

/** Ends what a closed tab has left. */
export function useLeftovers(userId: string): void {
  const erase = useEffectEvent(useErase(userId))
  useEffect(() => {
    const stale = Object.entries(removals(userId)).flatMap(([id, at]) => (Date.now() - at > STALE_MS ? [id] : []))
    if (stale.length > 0) void erase(stale)
  }, [userId])
}
