/** What the browser keeps for one person under keys of their own, and when it forgets it. */

const UPLOAD_KEY = 'tus::'

/** Questions that were typed and not yet asked. */
export const draftPrefix = (userId: string): string => `socio.chat.draft.${userId}.`
/** Uploads under way: tus-js-client puts this before the fingerprint, which begins with the owner. */
export const uploadPrefix = (userId: string): string => `${UPLOAD_KEY}${userId}|`

const REMOVAL_KEY = 'socio.conversations_to_delete.'
/** Conversations that are to be deleted and may be taken back. */
export const removalsKey = (userId: string): string => REMOVAL_KEY + userId

/** Which columns the contact list shows, and how dense it is. */
export const contactListKey = (userId: string): string => `socio.contact_list.${userId}`

/** The server forgets an unfinished upload after a day. */
const UPLOAD_LIFE_MS = 24 * 60 * 60 * 1000

/** Whether the server still knows an upload that began then. */
export const isAliveUpload = ({ creationTime }: { creationTime: string }): boolean =>
  Date.now() - Date.parse(creationTime) < UPLOAD_LIFE_MS

function forget(isOver: (key: string, value: string) => boolean): void {
  try {
    for (const [key, value] of Object.entries<string>(window.localStorage)) {
      if (isOver(key, value)) window.localStorage.removeItem(key)
    }
  } catch {
    // A browser without storage has kept nothing.
  }
}

/** Whoever logs out leaves neither questions nor names of files to the next one at this computer. */
export function forgetPerson(userId: string): void {
  forget((key) => key.startsWith(draftPrefix(userId)) || key.startsWith(uploadPrefix(userId)))
}

function isDeadUpload(value: string): boolean {
  try {
    return !isAliveUpload(JSON.parse(value) as { creationTime: string })
  } catch {
    return true
  }
}

/** Uploads that nobody can take up any more, whoever began them, and notes of nothing. */
export function forgetDead(): void {
  forget(
    (key, value) =>
      (key.startsWith(UPLOAD_KEY) && isDeadUpload(value)) || (key.startsWith(REMOVAL_KEY) && value === '{}'),
  )
}
