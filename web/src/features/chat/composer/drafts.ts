/**
 * What was typed and not yet asked, by conversation. It stands in the browser until the server has begun to answer:
 * neither a reload nor a refusal loses a word.
 */
import { useSyncExternalStore } from 'react'

import { onSessionChange } from '@/data/session'
import { local } from '@/lib/storage'

export type Attachment = { id: string; name: string }
export type Draft = {
  text: string
  attachments: Attachment[]
  /** Of a question of which we do not know whether the server has heard it. */
  clientKey: string | null
}

const empty: Draft = { text: '', attachments: [], clientKey: null }
/** By draftKey. */
const drafts = new Map<string, Draft>()
/** Asked, and neither begun nor refused. */
const sent = new Map<string, Draft>()
const listeners = new Set<() => void>()

export function draftAt(at: string): Draft {
  const known = drafts.get(at)
  if (known) return known
  const stored = readStored(at)
  drafts.set(at, stored)
  return stored
}

function readStored(at: string): Draft {
  try {
    return { ...empty, ...(JSON.parse(local.getItem(at) ?? '{}') as Partial<Draft>) }
  } catch {
    return empty
  }
}

function put(at: string, draft: Draft): void {
  drafts.set(at, draft)
  const kept = together(sent.get(at), draft)
  if (kept.text === '' && kept.attachments.length === 0) local.removeItem(at)
  else local.setItem(at, JSON.stringify(kept))
  for (const listener of listeners) listener()
}

/** What was asked before what was typed meanwhile. */
function together(first: Draft | undefined, second: Draft): Draft {
  if (!first) return second
  const isAlone = second.text === '' && second.attachments.length === 0
  return {
    text: [first.text, second.text].filter(Boolean).join('\n'),
    attachments: [...first.attachments, ...second.attachments],
    clientKey: isAlone ? first.clientKey : null,
  }
}

/** Changes what is typed; another text is another question. */
export function changeDraft(at: string, change: (draft: Draft) => Partial<Omit<Draft, 'clientKey'>>): void {
  const before = draftAt(at)
  put(at, { ...before, ...change(before), clientKey: null })
}

/** Takes the draft to ask it: the field is empty, the browser still has it. */
export function takeDraft(at: string): Draft & { clientKey: string } {
  const before = draftAt(at)
  const draft = { ...before, clientKey: before.clientKey ?? crypto.randomUUID() }
  sent.set(at, draft)
  put(at, empty)
  return draft
}

/** The answer has begun. */
export function letGo(at: string): void {
  sent.delete(at)
  put(at, draftAt(at))
}

/** It was refused, or not heard: back into the field, before what was typed meanwhile. */
export function giveBack(at: string): void {
  const draft = together(sent.get(at), draftAt(at))
  sent.delete(at)
  put(at, draft)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function useDraft(at: string): Draft {
  return useSyncExternalStore(subscribe, () => draftAt(at))
}

let owner: string | undefined

// The browser's copy says what is left of a person who went: everything when the session ended, nothing after a logout.
onSessionChange((state) => {
  const before = owner
  owner = state?.user.id
  if (before === undefined || before === owner) return
  drafts.clear()
  sent.clear()
})
