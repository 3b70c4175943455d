/** The line in which tasks are written: what the grammar reads in it, and what the person made of that. */
import { useState } from 'react'

import { useContactNamed, useContactNames } from '@/components/quick-add/quick-add-candidates'
import { type Parsed, parseQuickAdd } from '@/lib/quick-add/parse'

type Choice = { /** The words it stands for. */ words: string; id: string; name: string }

/**
 * What is read depends on the minute, so each stroke notes when it fell. A task that `hasContact` already looks for none.
 * `written` is what the person wrote before this was loaded.
 */
export function useQuickAdd(userId: string, hasContact: boolean, written = '') {
  const [{ text, at }, setLine] = useState(() => ({ text: written, at: new Date() }))
  // Where parts begin that the person turned back into text.
  const [kept, setKept] = useState<readonly number[]>([])
  const [contact, setContact] = useState<Choice | null>(null)
  const [project, setProject] = useState<Choice | null>(null)
  // Contacts that the title names and the person took away.
  const [refused, setRefused] = useState<readonly string[]>([])
  const tag = parseQuickAdd(text, at, kept).parts.find(({ kind }) => kind === 'contact')
  const names = useContactNames(userId, text, tag?.start)
  const parsed = parseQuickAdd(text, at, kept, names)
  const named = useContactNamed(userId, parsed.title, !hasContact && parsed.contact === null)
  const chosenContact = contact?.words === parsed.contact ? contact : null
  const chosenProject = project?.words === parsed.project ? project : null

  return {
    text,
    /** When it was written. */
    at,
    parsed,
    contact: chosenContact,
    project: chosenProject,
    /** The contact whom the title names without an @. */
    named: named && !refused.includes(named.id) ? named : null,
    refused,
    refuse: (id: string) => setRefused([...refused, id]),
    /** A name stays where it stands, whole once somebody has said whose it is: «chiamare Mario Rossi». */
    title: titleOf(text, at, kept, parsed, chosenContact, chosenProject),
    /** The title once these are chosen. */
    titleWith: (by: Choice | null, of: Choice | null) => titleOf(text, at, kept, parsed, by, of),
    chooseContact: setContact,
    chooseProject: setProject,
    /** Turns the parts that begin at `starts` back into text. */
    keep: (starts: readonly number[]) => setKept([...kept, ...starts]),
    write(next: string) {
      setKept(shifted(kept, text, next))
      setLine({ text: next, at: new Date() })
    },
    clear() {
      setLine({ text: '', at: new Date() })
      setKept([])
      setContact(null)
      setProject(null)
      setRefused([])
    },
  }
}

function titleOf(
  text: string,
  at: Date,
  kept: readonly number[],
  parsed: Parsed,
  contact: Choice | null,
  project: Choice | null,
): string {
  const named = parsed.parts.find(({ kind }) => kind === 'contact')
  const stays = parsed.parts.filter(({ kind }) => kind === 'contact' || (kind === 'project' && !project))
  if (stays.length === 0) return parsed.title
  const { title } = parseQuickAdd(text, at, [...kept, ...stays.map(({ start }) => start)])
  return named ? title.replace(named.text.replaceAll(/\s+/g, ' '), contact?.name ?? parsed.contact ?? '') : title
}

/** The places `starts` of `before` as they are in `after`, where one stretch of text became another. */
export function shifted(starts: readonly number[], before: string, after: string): number[] {
  let same = 0
  while (same < before.length && same < after.length && before[same] === after[same]) same += 1
  let sameEnd = 0
  while (
    sameEnd < before.length - same &&
    sameEnd < after.length - same &&
    before.at(-1 - sameEnd) === after.at(-1 - sameEnd)
  )
    sameEnd += 1
  const change = after.length - before.length
  return starts.flatMap((start) => {
    if (start < same) return [start]
    return start >= before.length - sameEnd ? [start + change] : []
  })
}
