/** Under this key lies everything the cache knows about documents. */
export const documentsKey = (userId: string) => ['documents', userId] as const
