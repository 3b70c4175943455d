/** Asking VIES, Europe's register of VAT numbers, about a contact: when its person wants it, never on saving. */
import { useMutation, useQueryClient } from '@tanstack/react-query'

import { reloadContacts, type WholeContact } from '@/data/contacts'
import { invoke } from '@/data/functions'

/** What VIES said, and when; null when it was not asked, or about another number than the contact has now. */
export function viesAnswer(
  contact: Pick<WholeContact, 'vat_number' | 'vies_vat_number' | 'vies_registered' | 'vies_name' | 'vies_checked_at'>,
) {
  const { vat_number, vies_vat_number, vies_registered, vies_name, vies_checked_at } = contact
  if (vies_checked_at === null || vies_vat_number !== vat_number) return null
  return { registered: vies_registered === true, name: vies_name, checkedAt: vies_checked_at }
}

/** Asks now; the contact shows the answer. @throws FunctionError when VIES does not answer: nothing is changed then. */
export function useVatCheck(contactId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => invoke('check_vat', { contact_id: contactId }),
    onSuccess: () => reloadContacts(client),
  })
}
