/** Telephone numbers as people type them; the metadata of all countries is loaded when the first one is read. */

/** The number in E.164 («+39061234567»), read as an Italian one unless it says its country; null when it is none. */
export async function phoneNumber(typed: string): Promise<string | null> {
  const { parsePhoneNumberFromString } = await import('libphonenumber-js/min')
  const number = parsePhoneNumberFromString(typed, 'IT')
  return number?.isPossible() ? number.number : null
}

/** A number as it is shown, and where a tap on it calls. */
export type ShownPhone = { text: string; href: string }

/** Loads what writes numbers in one format: «+39 347 123 4567»; it answers null for what is none. */
export async function phoneFormatter(): Promise<(typed: string) => ShownPhone | null> {
  const { parsePhoneNumberFromString } = await import('libphonenumber-js/min')
  return (typed) => {
    const number = parsePhoneNumberFromString(typed, 'IT')
    return number?.isPossible() ? { text: number.formatInternational(), href: number.getURI() } : null
  }
}
