/** Up to two initials of a name, '?' without one (LAYOUT-05). */
export function initials(name: string | null | undefined): string {
  const words = (name ?? '').trim().split(/\s+/).filter(Boolean)
  const picked = words.length > 1 ? [words[0], words.at(-1)] : words
  // Spread by code point: an emoji or an accented letter stays whole.
  return picked.map((word) => [...(word ?? '')][0]?.toLocaleUpperCase('it') ?? '').join('') || '?'
}
