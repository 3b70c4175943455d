/** Apart from goals.ts, so that what follows changes does not load it. */
export const goalsKey = (userId: string) => ['goals', userId] as const
