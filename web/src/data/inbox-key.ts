/** Under this key is all that the cache knows of received and sent mail; apart from its queries, which its screen loads. */
export const inboxKey = (userId: string) => ['inbox', userId] as const
