/**
 * What a person calls a file, and the key it is stored under.
 *
 * Hosted Supabase takes a short list of ASCII characters in keys (supabase/storage: src/storage/limits.ts), while
 * Italian files are called «Perché è così.pdf». Every other byte is written `=C3`, as quoted-printable does it
 * (RFC 2045 6.7), so a name comes back exactly as it went in, whichever server keeps it.
 */

const SAFE = /[A-Za-z0-9 !'()*,+@$&;_.-]/
/** Room for the folder within the 1024 bytes of a key. */
const MAX_KEY_CHARACTERS = 900
const MAX_NAME_CHARACTERS = 200

/** The key of a name, without folder. */
export function keyOf(name: string): string {
  const text = name.normalize('NFC')
  let key = ''
  for (const byte of new TextEncoder().encode(text)) {
    const character = String.fromCharCode(byte)
    // A dot in front could make the name a step upwards.
    const isSafe = byte < 128 && SAFE.test(character) && !(key === '' && character === '.')
    key += isSafe ? character : `=${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }
  return key
}

/** The part after the last dot, in lower case; empty when there is none. */
export function extensionOf(name: string): string {
  return /[^.]\.([A-Za-z0-9]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''
}

function parts(name: string): [stem: string, ending: string] {
  const extension = extensionOf(name)
  return extension ? [name.slice(0, -extension.length - 1), name.slice(-extension.length - 1)] : [name, '']
}

/** A name without control characters and outer blanks, cut in its middle where it is too long to store. */
export function tidyName(name: string): string {
  // oxlint-disable-next-line no-control-regex
  const [stem, ending] = parts(name.replaceAll(/[\u0000-\u001f\u007f]+/g, ' ').trim())
  let characters = [...stem].slice(0, MAX_NAME_CHARACTERS)
  while (keyOf(characters.join('') + ending).length > MAX_KEY_CHARACTERS) characters = characters.slice(0, -10)
  return (characters.join('').trim() || 'Documento') + ending
}
