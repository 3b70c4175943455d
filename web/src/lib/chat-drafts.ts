/** Where the browser keeps what was typed in the chat and not yet asked. */

const prefixOf = (userId: string): string => `socio.chat.draft.${userId}.`

/** Names a conversation of a person, or their next one. */
export function draftKey(userId: string, conversationId: string | null): string {
  return `${prefixOf(userId)}${conversationId ?? 'nuova'}`
}

/** Whoever logs out leaves none of their questions to the next one at this computer. */
export function forgetDrafts(userId: string): void {
  try {
    for (const key of Object.keys(window.localStorage)) {
      if (key.startsWith(prefixOf(userId))) window.localStorage.removeItem(key)
    }
  } catch {
    // A browser without storage has kept nothing.
  }
}
