/** Browsers and systems, in words, from what they say about themselves. */

// The order decides: most browsers also name those whose pages they imitate.
const browsers: [RegExp, string][] = [
  [/Edg(?:e|A|iOS)?\//, 'Edge'],
  [/OPR\/|Opera/, 'Opera'],
  [/SamsungBrowser/, 'Samsung Internet'],
  [/Firefox|FxiOS/, 'Firefox'],
  [/Chrome|CriOS|Chromium/, 'Chrome'],
  [/Safari/, 'Safari'],
]

const systems: [RegExp, string][] = [
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X|Macintosh/, 'Mac'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
]

const find = (list: [RegExp, string][], text: string) => list.find(([pattern]) => pattern.test(text))?.[1]

/** «Chrome su Windows», or as much of it as `userAgent` tells. */
export function deviceName(userAgent: string | null): string {
  const browser = find(browsers, userAgent ?? '')
  const system = find(systems, userAgent ?? '')
  if (browser && system) return `${browser} su ${system}`
  return browser ?? system ?? 'Dispositivo sconosciuto'
}

const pushServices: [RegExp, string][] = [
  [/\.google\.com$|\.googleapis\.com$/, 'Chrome'],
  [/\.mozilla\.com$/, 'Firefox'],
  [/\.apple\.com$/, 'Safari'],
  [/\.windows\.com$/, 'Edge'],
]

/** The browser behind an endpoint: each maker has a push service of its own. */
export function pushServiceName(endpoint: string): string {
  return find(pushServices, URL.parse(endpoint)?.hostname ?? '') ?? 'Browser'
}

/** Phones and tablets get another icon. */
export function isHandheld(userAgent: string | null): boolean {
  return /iPhone|iPad|Android|Mobile/.test(userAgent ?? '')
}

/** After a logout that the server has not heard of. */
export const unheardLogout =
  'Su questo dispositivo sei fuori. Il server però non risponde: finché la sessione non scade, resta nell’elenco in Dispositivi.'
