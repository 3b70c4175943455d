/** Contacts as a download. */
import { toast } from 'sonner'

import type { ContactWish } from '@/data/contacts'
import { contactsCsv } from '@/data/contacts-export'
import { saveFile } from '@/lib/save-file'

/** Saves these contacts, or all that the list shows, as CSV. */
export async function exportContacts(wanted: readonly string[] | ContactWish): Promise<void> {
  try {
    const day = new Date().toLocaleDateString('sv-SE')
    saveFile(`contatti-${day}.csv`, await contactsCsv(wanted), 'text/csv')
  } catch {
    toast.error('Non siamo riusciti a esportare i contatti: riprova')
  }
}
