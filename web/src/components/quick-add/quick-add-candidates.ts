/** Whom and which project the words of a line may mean. */
import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query'
import { useDeferredValue } from 'react'

import { contactNamedQuery, contactSearchQuery, type FoundContact } from '@/data/contact-search'
import type { Project } from '@/data/projects'
import { fold } from '@/lib/fold'
import type { Parsed } from '@/lib/quick-add/parse'

const WORDS_SEARCHED = 3
const SHORT_WORD = 3

/** Return a name and its beginnings of several words, which leave out «S.r.l.»; none ends with a short word («di»). */
function spellings(name: string): string[] {
  const words = name.split(/\s+/)
  const begins = words.flatMap((word, place) =>
    place > 0 && word.length > SHORT_WORD ? [words.slice(0, place + 1).join(' ')] : [],
  )
  return [name, ...begins]
}

/** Return the names of contacts that the words after the @ at `start` may mean. */
export function useContactNames(userId: string, text: string, start: number | undefined): string[] {
  const after = useDeferredValue(start === undefined ? '' : text.slice(start + 1))
  const words = after.split(/\s+/).filter(Boolean).slice(0, WORDS_SEARCHED)
  const queries = words.map((_, place) => contactSearchQuery(userId, words.slice(0, place + 1).join(' ')))
  return useQueries({ queries }).flatMap(({ data = [] }) => data.flatMap(({ name }) => spellings(name)))
}

const SHORTEST_NAMED = 4

/** Return the one contact whom a title names without an @; null for none, and while nothing is known. */
export function useContactNamed(userId: string, title: string, isWanted: boolean): FoundContact | null {
  const wanted = useDeferredValue(title)
  const enabled = isWanted && wanted.length >= SHORTEST_NAMED
  const { data = null } = useQuery({ ...contactNamedQuery(userId, wanted), enabled, placeholderData: keepPreviousData })
  return enabled ? data : null
}

/** Whether the words after the contact may be the rest of another name («@Mario Verdi» where only Mario Rossi is known). */
export function goesOn(text: string, { parts, contact }: Pick<Parsed, 'parts' | 'contact'>): boolean {
  const end = parts.find(({ kind }) => kind === 'contact')?.end ?? text.length
  const next = text.slice(end).trimStart()
  if (parts.some(({ start }) => start === text.length - next.length)) return false
  return (contact?.includes(' ') ? /^\p{Lu}/u : /^\p{Lu}|^\p{L}{4}/u).test(next)
}

/** Return the open projects whose name contains `words`. */
export const projectsAlike = (projects: readonly Project[], words: string): Project[] =>
  projects.filter(({ name, status }) => status !== 'chiuso' && fold(name).includes(fold(words)))

const wordsOf = (name: string) => fold(name).split(/[\s,]+/)

/** Return the one candidate that `words` name: by the whole name, or by words that no other candidate's name has. */
export function onlyCandidate<T extends { name: string }>(words: string, candidates: readonly T[]): T | null {
  const exact = candidates.filter(({ name }) => fold(name) === fold(words))
  const holding = candidates.filter(({ name }) => wordsOf(words).every((word) => wordsOf(name).includes(word)))
  const [one, ...others] = exact.length > 0 ? exact : holding
  return one && others.length === 0 ? one : null
}
