/** Which memories are shown, and which of them say different things. */
import type { Memory, MemoryKind } from '@/data/memories'
import { fold } from '@/lib/fold'

/** What is looked for in the list. */
export type Wish = { text: string; kind: MemoryKind | ''; state: Memory['state'] | ''; contactId: string }

/** All that counts, and what is paused. */
export const everything: Wish = { text: '', kind: '', state: '', contactId: '' }

/** Whether a memory is among what is wished for: every word, in any order, accents aside. */
export function isWished({ body, kind, state, contact }: Memory, wish: Wish): boolean {
  const words = fold(wish.text).split(/\s+/).filter(Boolean)
  const text = fold(`${body} ${contact?.name ?? ''}`)
  return (
    words.every((word) => text.includes(word)) &&
    (!wish.kind || wish.kind === kind) &&
    (wish.state ? wish.state === state : state !== 'superata') &&
    (!wish.contactId || wish.contactId === contact?.id)
  )
}
