/** The rights of the contact: a copy of what is kept, and being forgotten. */
import { DownloadIcon, FileTextIcon, ScrollTextIcon, ShieldXIcon } from 'lucide-react'
import { useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { toast } from 'sonner'

import { ConfirmDialog } from '@/components/confirm-dialog'
import { Button } from '@/components/ui/button'
import { Card, CardDescription, CardTitle } from '@/components/ui/card'
import { Spinner } from '@/components/ui/spinner'
import { contactSheet, exportContact, useEraseContact, type WholeContact } from '@/data/contacts'
import { saveBlob, saveFile } from '@/lib/save-file'
import { paths } from '@/paths'

export function PrivacyCard({ contact: { id, name } }: { contact: WholeContact }) {
  const navigate = useNavigate()
  const [isAsking, setAsking] = useState(false)
  const [isPrinting, setPrinting] = useState(false)
  const erase = useEraseContact()

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

  async function forget() {
    try {
      const { kept } = await erase.mutateAsync(id)
      const rest = Object.keys(kept).length > 0
      toast.success('Dati cancellati', {
        description: rest
          ? 'Restano le prove dei consensi e il tuo lavoro, senza più il collegamento: i titoli che ne fanno il nome li cambi tu.'
          : name,
      })
      void navigate(paths.crm)
    } catch {
      toast.error('Non siamo riusciti a cancellare: riprova')
    }
  }

  return (
    <Card>
      <CardTitle>I suoi diritti</CardTitle>
      <CardDescription>
        Se te lo chiede, puoi dargli una copia dei suoi dati, dirgli dove hai usato l’IA, o dimenticarlo.
      </CardDescription>
      <div className="flex flex-wrap gap-2">
        <Button variant="outline" size="sm" onClick={() => void download()}>
          <DownloadIcon aria-hidden /> Scarica i suoi dati
        </Button>
        <Button variant="outline" size="sm" disabled={isPrinting} onClick={() => void print()}>
          {isPrinting ? <Spinner aria-hidden /> : <FileTextIcon aria-hidden />} Scheda in PDF
        </Button>
        <Button variant="outline" size="sm" asChild>
          <Link to={paths.aiNoticeFor(id)}>
            <ScrollTextIcon aria-hidden /> Informativa IA
          </Link>
        </Button>
        <Button variant="outline" size="sm" onClick={() => setAsking(true)}>
          <ShieldXIcon aria-hidden /> Cancella per sempre
        </Button>
      </div>
      <ConfirmDialog
        isOpen={isAsking}
        title={`Cancellare ${name} per sempre?`}
        text="Note, recapiti e storia spariscono e non si possono recuperare. Trattative, progetti e attività restano senza il collegamento: i titoli che ne fanno il nome li cambi tu. Restano anche documenti, fatture e conversazioni, e le prove dei consensi."
        confirm="Cancella per sempre"
        isBusy={erase.isPending}
        onConfirm={() => void forget()}
        onClose={() => setAsking(false)}
      />
    </Card>
  )
}
