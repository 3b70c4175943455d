/** Under this key is all that the cache knows of the home; apart from its queries, which its own screen loads. */
export const homeKey = (userId: string) => ['home', userId] as const
