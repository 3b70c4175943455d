/** The copy of what is held about a contact, for a program and on paper. */
import { DownloadIcon, FileTextIcon } from 'lucide-react'
import { useState } from 'react'
import { toast } from 'sonner'

import { Button } from '@/components/ui/button'
import { Spinner } from '@/components/ui/spinner'
import { contactSheet, exportContact } from '@/data/contact-rights'
import { saveBlob, saveFile } from '@/lib/save-file'

export function ContactCopy({ id, name }: { id: string; name: string }) {
  const [isPrinting, setPrinting] = useState(false)

  async function download() {
    try {
      saveFile(`${name}.json`, JSON.stringify(await exportContact(id), null, 2), 'application/json')
    } catch {
      toast.error('Non siamo riusciti a preparare la copia: riprova')
    }
  }

  async function print() {
    setPrinting(true)
    try {
      saveBlob(`Scheda di ${name}.pdf`, await contactSheet(id))
    } catch {
      toast.error('Non siamo riusciti a preparare la scheda: riprova')
    }
    setPrinting(false)
  }

  return (
    <>
      <Button variant="outline" size="sm" onClick={() => void download()}>
        <DownloadIcon aria-hidden /> Scarica i suoi dati
      </Button>
      <Button variant="outline" size="sm" disabled={isPrinting} onClick={() => void print()}>
        {isPrinting ? <Spinner aria-hidden /> : <FileTextIcon aria-hidden />} Scheda in PDF
      </Button>
    </>
  )
}
