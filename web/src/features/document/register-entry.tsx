/** Of an invoice on paper that is not in the register: what it waits for, and the two ways out. */
import { useQuery } from '@tanstack/react-query'
import { ReceiptTextIcon } from 'lucide-react'
import { Link } from 'react-router'
import { toast } from 'sonner'

import { Button } from '@/components/ui/button'
import { Spinner } from '@/components/ui/spinner'
import type { WholeDocument } from '@/data/document'
import { useConfirmInvoice } from '@/data/invoices'
import { unregisteredQuery, useLeaveOut } from '@/data/unregistered'
import { DataError } from '@/lib/server-errors'
import { paths } from '@/paths'
import { fieldRefusal } from '@/strings/document-fields'
import { gapText } from '@/strings/unregistered'

type Props = { document: WholeDocument; userId: string; isUnsure: boolean }

const failed = (failure: unknown) =>
  failure instanceof DataError && failure.code === 'SC041'
    ? toast.error('Per registrarla servono almeno data, numero e totale: completali e riprova')
    : toast.error(fieldRefusal(failure))

export function RegisterEntry({ document, userId, isUnsure }: Props) {
  const { id, left_out_at: leftOutAt } = document
  const { data } = useQuery(unregisteredQuery(userId))
  const confirm = useConfirmInvoice(userId)
  const leave = useLeaveOut(userId)
  const gaps = data?.find(({ document_id: documentId }) => documentId === id)?.gaps ?? []
  return (
    <div className="grid gap-2 border-t pt-3">
      <p className="text-sm text-muted-foreground">
        {leftOutAt ? 'Non è nel registro per tua scelta.' : whatNext(isUnsure, gaps)}
      </p>
      {!leftOutAt && gaps.length > 0 && (
        <ul aria-label="Che cosa manca" className="list-disc pl-5 text-sm">
          {gaps.map((gap) => (
            <li key={gap}>
              {gap === 'own_vat' ? (
                <Link to={paths.settingsBusiness} className="underline">
                  {gapText(gap)}
                </Link>
              ) : (
                gapText(gap)
              )}
            </li>
          ))}
        </ul>
      )}
      <div className="flex flex-wrap gap-2">
        <Button
          disabled={isUnsure || confirm.isPending}
          onClick={() => confirm.mutate(id, { onSuccess: () => toast.success('Fattura registrata'), onError: failed })}
        >
          {confirm.isPending ? <Spinner aria-hidden /> : <ReceiptTextIcon aria-hidden />} Registra fattura
        </Button>
        {!leftOutAt && (
          <Button
            variant="outline"
            disabled={leave.isPending}
            onClick={() =>
              leave.mutate(
                { documentId: id, isLeftOut: true },
                { onSuccess: () => toast.success('Non sarà registrata'), onError: failed },
              )
            }
          >
            Non è da registrare
          </Button>
        )}
      </div>
    </div>
  )
}

function whatNext(isUnsure: boolean, gaps: string[]): string {
  if (isUnsure) return 'Conferma i campi da verificare: quando ogni dato è sicuro entra nel registro da sola.'
  return gaps.length > 0
    ? 'Non entra nel registro da sola perché:'
    : 'Registrandola entra nello scadenzario, con la sua scadenza e il suo importo.'
}
