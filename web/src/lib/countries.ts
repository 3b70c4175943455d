/** Countries of addresses, as people and address books write them. */

const ITALY = /^(?:it|ita|italia|italy)?$/i

/** Whether an address is in Italy; one that names no country is. */
export const isItaly = (country: string): boolean => ITALY.test(country.trim())
