/** Decides whether a link stored in a row may be followed. */

/** `url` when it is a path of this site, else null. The database checks the same; a row may be older than the check. */
export function safePath(url: string | null): string | null {
  if (!url?.startsWith('/')) return null
  // The browser's own parser decides: it reads "/\\host" and a hidden tab the way the address bar would.
  const target = URL.parse(url, location.origin)
  if (target?.origin !== location.origin) return null
  return `${target.pathname}${target.search}${target.hash}`
}
