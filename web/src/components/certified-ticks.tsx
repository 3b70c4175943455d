/** Shows when a certified mail was accepted and delivered, by their legal time, and offers its proof. */
import { CheckCheckIcon, CheckIcon, DownloadIcon } from 'lucide-react'
import { useState } from 'react'
import { toast } from 'sonner'

import { Button } from '@/components/ui/button'
import type { SentLetter } from '@/data/letters'
import { mailProof } from '@/data/mail'
import { saveBlob } from '@/lib/save-file'
import { FunctionError } from '@/lib/server-errors'
import { useNow } from '@/lib/use-now'
import { legalTime } from '@/strings/dates'

/** After these the provider warns that a mail was not delivered (RFC 6109, 3.3). */
const LATE_MS = 12 * 3_600_000

export function CertifiedTicks({ letter }: { letter: SentLetter }) {
  const [isBusy, setBusy] = useState(false)
  const receipts = letter.mail_reports.toSorted((a, b) => a.at.localeCompare(b.at))
  const accepted = receipts.find(({ kind }) => kind === 'accettazione')
  const delivered = receipts.find(({ kind }) => kind === 'avvenuta-consegna')
  const isWaiting = letter.state === 'sent' && !delivered
  const lateAt = isWaiting && letter.sent_at !== null ? Date.parse(letter.sent_at) + LATE_MS : Infinity
  const now = useNow((at) => (at < lateAt && lateAt < Infinity ? lateAt - at : null))
  const isLate = now >= lateAt

  async function onProof() {
    setBusy(true)
    try {
      saveBlob(`Prova PEC ${letter.subject}.zip`, await mailProof(letter.id))
    } catch (failure) {
      toast.error(
        failure instanceof FunctionError ? failure.message : 'Non siamo riusciti a preparare la prova: riprova',
      )
    }
    setBusy(false)
  }

  return (
    <div className="grid justify-items-start gap-1">
      {accepted && (
        <p className="flex items-center gap-1.5">
          <CheckIcon aria-hidden className="size-4 shrink-0" /> Accettata {legalTime(accepted.at)}
        </p>
      )}
      {delivered && (
        <p className="flex items-center gap-1.5">
          <CheckCheckIcon aria-hidden className="size-4 shrink-0" /> Consegnata {legalTime(delivered.at)}
        </p>
      )}
      {isWaiting && (
        <p className={isLate && !accepted?.is_external ? 'text-error' : 'text-muted-foreground'}>
          {waiting(accepted !== undefined, accepted?.is_external ?? false, isLate)}
        </p>
      )}
      {receipts.some(({ kind }) => kind !== 'rimbalzo') && (
        <Button variant="outline" size="sm" disabled={isBusy} onClick={() => void onProof()}>
          <DownloadIcon aria-hidden /> Scarica la prova
        </Button>
      )}
    </div>
  )
}

function waiting(isAccepted: boolean, isExternal: boolean, isLate: boolean): string {
  if (isExternal) return 'Il destinatario non ha una PEC: non arriverà una ricevuta di consegna'
  if (isLate) return 'In ritardo: dopo 12 ore non c’è ancora la consegna'
  return isAccepted ? 'In attesa della consegna' : 'In attesa dell’accettazione'
}
