/** Who of the parties on electronic invoices the person is: without that every invoice counts as received. */
import { queryOptions } from '@tanstack/react-query'

import type { InvoiceContent } from '@/data/invoice-content'
import { invoicesKey } from '@/data/invoices'
import { unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import { supabase } from '@/lib/supabase'

type Sides = Pick<InvoiceContent, 'supplier' | 'customer'>
type Party = Sides['supplier']

/** A party with an Italian number, and on how many of the invoices it stands. */
export type OwnParty = { name: string; vatNumber: string | null; taxCode: string | null; count: number }

const READ = 200
const SHOWN = 3

const bare = (number: string | null) => number?.toUpperCase().replace(/^IT/, '').replaceAll(/\s/g, '') || null

function partyOf({ name, vat_country: country, vat_number: vat, tax_code: tax }: NonNullable<Party>): OwnParty | null {
  const vatNumber = country === null || country === 'IT' ? bare(vat) : null
  const taxCode = bare(tax)
  return name && (vatNumber ?? taxCode) ? { name, vatNumber, taxCode, count: 1 } : null
}

/** The parties that stand on the most invoices, best first: the owner stands on each. */
export function likelyOwners(invoices: readonly Sides[]): OwnParty[] {
  const parties = new Map<string, OwnParty>()
  for (const { supplier, customer } of invoices) {
    const found = [supplier, customer].map((side) => side && partyOf(side))
    for (const party of new Map(found.map((each) => [each && (each.vatNumber ?? each.taxCode), each])).values()) {
      if (!party) continue
      const key = party.vatNumber ?? party.taxCode ?? ''
      const known = parties.get(key)
      parties.set(key, known ? { ...known, taxCode: known.taxCode ?? party.taxCode, count: known.count + 1 } : party)
    }
  }
  const ranked = [...parties.values()].toSorted((one, other) => other.count - one.count)
  return ranked.filter(({ count }) => count === ranked[0]?.count).slice(0, SHOWN)
}

export function ownPartyQuery(userId: string) {
  return queryOptions({
    queryKey: [...invoicesKey(userId), 'own-party'],
    queryFn: async () => {
      await currentUser()
      const rows = await supabase
        .from('invoices')
        .select('supplier:content->supplier, customer:content->customer')
        .not('content', 'is', null)
        .limit(READ)
      return likelyOwners(unwrap(rows) as unknown as Sides[])
    },
  })
}
