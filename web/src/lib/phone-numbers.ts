/** Telephone numbers as people type them; the metadata of all countries is loaded when the first one is read. */

/** The number in E.164 («+39061234567»), read as an Italian one unless it says its country; null when it is none. */
export async function phoneNumber(typed: string): Promise<string | null> {
  const { parsePhoneNumberFromString } = await import('libphonenumber-js/min')
  const number = parsePhoneNumberFromString(typed, 'IT')
  return number?.isPossible() ? number.number : null
}
