import { useState } from 'react'
import { toast } from 'sonner'

import { Button } from '@/components/ui/button'
import { Spinner } from '@/components/ui/spinner'
import { contactsVcard } from '@/data/contact-cards'
import { saveFile } from '@/lib/save-file'

/** The other way: everybody into the telephone. The spreadsheet stands in the list of contacts. */
export function CardExport() {
  const [isBusy, setBusy] = useState(false)

  async function save() {
    setBusy(true)
    try {
      const text = await contactsVcard()
      if (text) saveFile('contatti.vcf', text, 'text/vcard')
      else toast('Non hai ancora contatti da esportare')
    } catch {
      toast.error('Non siamo riusciti a esportare i contatti: riprova')
    } finally {
      setBusy(false)
    }
  }

  return (
    <section aria-labelledby="vcard" className="grid justify-items-start gap-3">
      <h2 id="vcard" className="text-sm font-medium text-muted-foreground">
        Porta i contatti nel telefono
      </h2>
      <Button variant="outline" disabled={isBusy} onClick={() => void save()}>
        {isBusy && <Spinner aria-hidden />}
        Scarica tutti in vCard
      </Button>
    </section>
  )
}
