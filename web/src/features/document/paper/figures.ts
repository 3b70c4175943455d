/** Figures of an invoice, which come as text with the decimals of the file, as Italians write them. */

const amount = new Intl.NumberFormat('it-IT', {
  useGrouping: 'always',
  minimumFractionDigits: 2,
  maximumFractionDigits: 8,
})
const plain = new Intl.NumberFormat('it-IT', { useGrouping: 'always', maximumFractionDigits: 8 })

const written = (format: Intl.NumberFormat, text: string | null): string => {
  if (text === null) return ''
  const value = Number(text)
  return Number.isFinite(value) ? format.format(value) : text
}

/** «1.234,50», and «0,00012345» where the file says so. */
export const priceText = (text: string | null): string => written(amount, text)

/** «2», «1,5». */
export const quantityText = (text: string | null): string => written(plain, text)

/** «22 %»; without a rate the nature that explains it, such as «N2.2». */
export function vatText(rate: string | null, nature: string | null): string {
  if (nature) return nature
  return rate === null ? '' : `${written(plain, rate)}\u00A0%`
}

/** «1.234,50 €» in the currency of the invoice. */
export function moneyText(cents: number | null, currency: string | null): string {
  if (cents === null) return ''
  try {
    return (cents / 100).toLocaleString('it-IT', {
      style: 'currency',
      currency: currency ?? 'EUR',
      useGrouping: 'always',
    })
  } catch {
    // The file may name a currency that nobody knows.
    return `${amount.format(cents / 100)} ${currency ?? ''}`
  }
}
