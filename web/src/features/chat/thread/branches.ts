/** Messages as a tree: editing a question or giving an answer anew begins a branch beside the old one. */
import type { Message } from '@/data/chat'

/** Which of the children of a message is looked at, by the id of the parent ('' for the first questions). */
export type Choices = Readonly<Record<string, string>>

export type Step = {
  message: Message
  /** The versions of this message, the oldest first; itself among them. */
  versions: readonly string[]
}

const FIRST = ''

/** The way from the first question to the last answer: the newest branch wherever nobody chose another. */
export function pathOf(messages: readonly Message[], choices: Choices): Step[] {
  const children = childrenOf(messages)
  const path: Step[] = []
  let at = FIRST
  // A message is never its own ancestor; the length is there for rows that say otherwise.
  while (path.length < messages.length) {
    const versions = children.get(at)
    const message = versions?.find(({ id }) => id === choices[at]) ?? versions?.at(-1)
    if (!versions || !message) break
    path.push({ message, versions: versions.map(({ id }) => id) })
    at = message.id
  }
  return path
}

/** The choices that lead to a message, beside those already made. */
export function choicesTo(messages: readonly Message[], id: string, choices: Choices): Choices {
  const byId = new Map(messages.map((message) => [message.id, message]))
  const next: Record<string, string> = { ...choices }
  let message = byId.get(id)
  for (let depth = 0; message && depth < messages.length; depth += 1) {
    next[parentIn(byId, message)] = message.id
    message = message.parent_id === null ? undefined : byId.get(message.parent_id)
  }
  return next
}

/** Without a choice where a new message has come, which is what one wants to see. */
export function withoutChoice(choices: Choices, parentId: string | null): Choices {
  return Object.fromEntries(Object.entries(choices).filter(([at]) => at !== (parentId ?? FIRST)))
}

function childrenOf(messages: readonly Message[]): Map<string, Message[]> {
  const byId = new Map(messages.map((message) => [message.id, message]))
  return Map.groupBy(messages, (message) => parentIn(byId, message))
}

/** Whose parent was not read (in a very long conversation) stands at the beginning. */
function parentIn(byId: ReadonlyMap<string, Message>, { parent_id: parent }: Message): string {
  return parent !== null && byId.has(parent) ? parent : FIRST
}
