/** Contacts that somebody who is being typed may already be. */
import { queryOptions } from '@tanstack/react-query'

import type { ContactValues } from '@/data/contacts-form'
import { contactsKey } from '@/data/contacts-key'
import { unwrap } from '@/data/postgrest'
import { phoneNumber } from '@/lib/phone-numbers'
import { supabase } from '@/lib/supabase'
import { taxCode, vatNumber } from '@/lib/tax-ids'

/** What tells people apart. */
export type Draft = Pick<
  ContactValues,
  'type' | 'firstName' | 'lastName' | 'businessName' | 'emails' | 'phones' | 'vatNumber' | 'taxCode'
>

async function fetchSimilar(draft: Draft) {
  const phones = await Promise.all(draft.phones.map(({ value }) => phoneNumber(value)))
  return unwrap(
    await supabase.rpc('similar_contacts', {
      _draft: {
        type: draft.type,
        first_name: draft.firstName.trim(),
        last_name: draft.lastName.trim(),
        business_name: draft.businessName.trim(),
        emails: draft.emails.map(({ value }) => value.trim()).filter(Boolean),
        phones: phones.filter((phone) => phone !== null),
        vat_number: vatNumber(draft.vatNumber),
        tax_code: taxCode(draft.taxCode),
      },
    }),
  )
}

/** The surest first; a hard one has the same address, number or tax identifier. */
export function similarContactsQuery(draft: Draft) {
  return queryOptions({ queryKey: [...contactsKey, 'similar', draft], queryFn: () => fetchSimilar(draft) })
}
