/** What is reckoned from a pack. */
import type { Catalog, ClaimKey, Pack } from '@/data/catalog'

export const totalCredits = (pack: Pack): number => pack.credits + pack.bonus

const discounts: Partial<Record<Pack['id'], ClaimKey>> = { pro: 'discount.pro', enterprise: 'discount.enterprise' }

export function discountOf(pack: Pack, { claims }: Catalog): string | null {
  const key = discounts[pack.id]
  return key ? claims[key].text : null
}
