/** Work on many rows, in parts. */

/** How many ids fit into the address of a request. */
const IDS_AT_ONCE = 100

/** `run` over `items` in parts, one after the other: all at once would take the server from everybody else. */
export async function inChunks<I, T>(
  items: readonly I[],
  run: (some: I[]) => Promise<T[]>,
  size = IDS_AT_ONCE,
): Promise<T[]> {
  const [some, rest] = [items.slice(0, size), items.slice(size)]
  if (some.length === 0) return []
  return [...(await run(some)), ...(await inChunks(rest, run, size))]
}
