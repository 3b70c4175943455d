/** What of `next` is not as it was `before`; lists and objects are compared by what they hold. */
export function changed<T extends object>(next: T, before: T): Partial<T> {
  const former = new Map<string, unknown>(Object.entries(before))
  return Object.fromEntries(
    Object.entries(next).filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(former.get(key))),
  ) as Partial<T>
}
