/** «Da verificare»: invoices on paper that wait, what each waits for, and what to do about it. */
import { ReceiptTextIcon } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router'
import { toast } from 'sonner'

import { EmptyState } from '@/components/empty-state'
import { Button } from '@/components/ui/button'
import { Progress } from '@/components/ui/progress'
import { useConfirmInvoice } from '@/data/invoices'
import { type UnregisteredDocument, useLeaveOut } from '@/data/unregistered'
import { paths } from '@/paths'
import { shortDate } from '@/strings/dates'
import { formatMoney } from '@/strings/numbers'
import { gapText } from '@/strings/unregistered'

const failed = () => toast.error('Non siamo riusciti a salvare: riprova')

export function WaitingList({ documents, userId }: { documents: UnregisteredDocument[]; userId: string }) {
  if (documents.length === 0)
    return (
      <EmptyState
        icon={ReceiptTextIcon}
        title="Niente da verificare"
        text="Le fatture da PDF e scansioni entrano nel registro da sole quando ogni dato è sicuro. Quelle con un dubbio aspettano qui."
      >
        <Button asChild variant="outline">
          <Link to={paths.documents}>Carica una fattura</Link>
        </Button>
      </EmptyState>
    )
  return (
    <div className="grid gap-3">
      <p className="text-sm text-muted-foreground">
        Queste fatture non sono ancora in nessuna somma: completa quello che manca ed entrano da sole nel registro.
      </p>
      <RegisterReady documents={documents.filter(({ gaps }) => gaps.length === 0)} userId={userId} />
      <ul aria-label="Da verificare" className="divide-y rounded-md border bg-card">
        {documents.map((paper) => (
          <WaitingRow key={paper.document_id} paper={paper} userId={userId} />
        ))}
      </ul>
    </div>
  )
}

/** All that nothing is missing of, one after the other. */
function RegisterReady({ documents, userId }: { documents: UnregisteredDocument[]; userId: string }) {
  const confirm = useConfirmInvoice(userId)
  const [progress, setProgress] = useState<{ done: number; of: number } | null>(null)

  async function registerAll() {
    let registered = 0
    setProgress({ done: 0, of: documents.length })
    for (const [index, paper] of documents.entries()) {
      // One after the other: each may be the twin of the one before.
      // oxlint-disable-next-line no-await-in-loop
      registered += await confirm.mutateAsync(paper.document_id).then(
        () => 1,
        () => 0,
      )
      setProgress({ done: index + 1, of: documents.length })
    }
    setProgress(null)
    const lost = documents.length - registered
    if (lost > 0) toast.error(`${lost} non ${lost === 1 ? 'è stata registrata' : 'sono state registrate'}: riprova`)
    if (registered > 0) toast.success(registered === 1 ? 'Fattura registrata' : `${registered} fatture registrate`)
  }

  if (progress) return <Progress value={progress.done} max={progress.of} aria-label="Registrazione delle fatture" />
  if (documents.length < 2) return null
  return (
    <Button className="justify-self-start" onClick={() => void registerAll()}>
      Registra le {documents.length} pronte
    </Button>
  )
}

function WaitingRow({ paper, userId }: { paper: UnregisteredDocument; userId: string }) {
  const { document_id: id, counterparty, filename, issued_on: day, total_cents: cents, gaps } = paper
  const confirm = useConfirmInvoice(userId)
  const leave = useLeaveOut(userId)
  const isBusy = confirm.isPending || leave.isPending
  const name = counterparty ?? filename

  function leaveOut() {
    leave.mutate({ documentId: id, isLeftOut: true }, { onError: failed })
    toast.success('Non sarà registrata', {
      description: name,
      action: {
        label: 'Annulla',
        onClick: () => leave.mutate({ documentId: id, isLeftOut: false }, { onError: failed }),
      },
    })
  }

  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-x-4 gap-y-2 px-4 py-3 text-sm md:grid-cols-[minmax(0,1fr)_8rem_auto]">
      <div className="grid min-w-0 grid-cols-1 gap-0.5">
        <Link to={paths.document(id)} className="font-medium break-words hover:underline">
          {name}
        </Link>
        <span className="break-words text-muted-foreground">
          {directionText(paper)}
          {day && ` · del ${shortDate(day)}`}
          {counterparty && ` · ${filename}`}
        </span>
        <Gaps gaps={gaps} />
      </div>
      <span className="text-right font-semibold tabular">
        {cents === null ? 'Senza importo' : formatMoney(cents, paper.currency)}
      </span>
      <span className="flex flex-wrap gap-2 max-md:col-span-2 md:justify-end">
        {gaps.length === 0 ? (
          <Button
            size="sm"
            disabled={isBusy}
            onClick={() =>
              confirm.mutate(id, { onSuccess: () => toast.success('Fattura registrata'), onError: failed })
            }
          >
            Registra<span className="sr-only">: {name}</span>
          </Button>
        ) : (
          <Button asChild size="sm">
            <Link to={gaps.length === 1 && gaps[0] === 'own_vat' ? paths.settingsBusiness : paths.document(id)}>
              Completa<span className="sr-only">: {name}</span>
            </Link>
          </Button>
        )}
        <Button size="sm" variant="outline" disabled={isBusy} onClick={leaveOut}>
          Non è da registrare
          <span className="sr-only">: {name}</span>
        </Button>
      </span>
    </li>
  )
}

function Gaps({ gaps }: { gaps: string[] }) {
  if (gaps.length === 0) return <span className="text-success">È tutto sicuro: puoi registrarla</span>
  return <span className="font-medium">{gaps.map(gapText).join(' · ')}</span>
}

function directionText({ direction }: UnregisteredDocument): string {
  if (direction === 'attiva') return 'Da incassare'
  return direction === 'passiva' ? 'Da pagare' : 'Da pagare o da incassare?'
}
