/** Where the browser keeps what was typed in the chat and not yet asked. */
import { draftPrefix } from '@/lib/personal-keys'

/** Names a conversation of a person, or their next one. */
export function draftKey(userId: string, conversationId: string | null): string {
  return `${draftPrefix(userId)}${conversationId ?? 'nuova'}`
}
