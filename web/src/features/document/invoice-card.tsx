/** An invoice as something to do: how much, until when, paid or not, and a reminder. */
import { BellPlusIcon } from 'lucide-react'
import { useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { toast } from 'sonner'

import { RelatedMails } from '@/components/related-mails'
import { RemindByMail } from '@/components/remind-by-mail'
import { Button } from '@/components/ui/button'
import { Card, CardDescription, CardTitle } from '@/components/ui/card'
import {
  type Part,
  useConfirmInvoice,
  useMarkInvoicePaid,
  useMarkSchedulePaid,
  useRemind,
  type WholeInvoice,
} from '@/data/invoices'
import { useLeaveOut } from '@/data/unregistered'
import { romeDay } from '@/lib/rome-time'
import { paths } from '@/paths'
import { shortDate } from '@/strings/dates'
import { codeWords } from '@/strings/invoice-codes'
import { formatMoney } from '@/strings/numbers'

type Props = { invoice: WholeInvoice; userId: string; isOneOfMany: boolean }

const failed = () => toast.error('Non siamo riusciti a salvare: riprova')

export function InvoiceCard({ invoice, userId, isOneOfMany }: Props) {
  const { id, number, direction, paid_on: paidOn, schedules, twin, currency } = invoice
  const isPayable = invoice.kind !== 'autofattura'
  const navigate = useNavigate()
  const pay = useMarkInvoicePaid(userId)
  const remind = useRemind(userId)
  const isIncoming = direction === 'attiva'
  const open = schedules.filter(({ paid_on: paid, due_on: day }) => !paid && day)
  const isReminded = open.length > 0 && open.every((schedule) => schedule.task_id)

  function markPaid() {
    pay.mutate(
      { id, paidOn: romeDay(new Date()) },
      {
        onSuccess: () =>
          toast.success(isIncoming ? 'Segnata come incassata' : 'Segnata come pagata', {
            action: { label: 'Annulla', onClick: () => pay.mutate({ id, paidOn: null }, { onError: failed }) },
          }),
        onError: failed,
      },
    )
  }

  function makeReminders() {
    remind.mutate(id, {
      onSuccess: (taskId) =>
        toast.success('Promemoria tra le tue attività', {
          action: { label: 'Apri', onClick: () => void navigate(taskId ? paths.task(taskId) : paths.tasks) },
        }),
      onError: failed,
    })
  }

  return (
    <Card className="gap-3">
      <div className="grid gap-0.5">
        <CardTitle>
          {codeWords('documents', invoice.type_code)} {number}
          {isOneOfMany && ` (${invoice.body_no})`}
        </CardTitle>
        <CardDescription>
          {!isPayable ? 'Non si paga' : isIncoming ? 'Attiva: la incassi tu' : 'Passiva: la paghi tu'}
          {invoice.counterparty_name && ` · ${invoice.counterparty_name}`}
        </CardDescription>
      </div>
      <p className="flex flex-wrap items-baseline justify-between gap-2">
        <span className="text-sm text-muted-foreground">
          {!isPayable ? 'Totale' : isIncoming ? 'Da incassare' : 'Da pagare'}
        </span>
        <span className="text-xl font-semibold tabular">
          {formatMoney(isPayable ? invoice.payable_cents : invoice.total_cents, currency)}
        </span>
      </p>
      {twin && (
        <p className="rounded-md bg-warning-tint px-3 py-2 text-sm">
          Ce l’hai già in{' '}
          <Link to={paths.document(twin.document_id)} className="font-medium break-words underline">
            {twin.filename}
          </Link>
          : nei totali conta una volta sola.
        </p>
      )}
      {invoice.source === 'campi' && <FromPaper invoice={invoice} userId={userId} />}
      {schedules.length > 0 && (
        <ul aria-label="Scadenze" className="divide-y text-sm">
          {schedules.map((schedule) => (
            <ScheduleRow
              key={schedule.id}
              schedule={schedule}
              isOneOfMany={schedules.length > 1}
              userId={userId}
              isIncoming={isIncoming}
            />
          ))}
        </ul>
      )}
      <div className="flex flex-wrap gap-2">
        {paidOn ? (
          <>
            <p className="flex-1 self-center text-sm">
              ✓ {isIncoming ? 'Incassata' : 'Pagata'} il {shortDate(paidOn)}
            </p>
            <Button variant="outline" size="sm" onClick={() => pay.mutate({ id, paidOn: null }, { onError: failed })}>
              Non ancora
            </Button>
          </>
        ) : isPayable ? (
          <>
            <Button size="sm" disabled={pay.isPending} onClick={markPaid}>
              {isIncoming ? 'Segna come incassata' : 'Segna come pagata'}
            </Button>
            {open.length > 0 && (
              <Button variant="outline" size="sm" disabled={remind.isPending || isReminded} onClick={makeReminders}>
                <BellPlusIcon aria-hidden /> {isReminded ? 'Promemoria creato' : 'Ricordamelo'}
              </Button>
            )}
            {isIncoming && invoice.state === 'scaduta' && invoice.contact_id && invoice.next_due_on && (
              <RemindByMail invoice={invoice} contactId={invoice.contact_id} dueOn={invoice.next_due_on} />
            )}
          </>
        ) : null}
      </div>
      <RelatedMails userId={userId} about={{ invoiceId: id }} none="" />
    </Card>
  )
}

/** Of an invoice on paper: that it entered by itself, and the way out of the register. */
function FromPaper({ invoice, userId }: { invoice: WholeInvoice; userId: string }) {
  const { document_id: documentId, is_automatic: isAutomatic } = invoice
  const confirm = useConfirmInvoice(userId)
  const leave = useLeaveOut(userId)

  function leaveOut() {
    leave.mutate({ documentId, isLeftOut: true }, { onError: failed })
    toast.success('Tolta dal registro', {
      action: {
        label: 'Annulla',
        onClick: () => leave.mutate({ documentId, isLeftOut: false }, { onError: failed }),
      },
    })
  }

  const isBusy = confirm.isPending || leave.isPending
  return (
    <div className="flex flex-wrap items-center gap-2 rounded-md bg-secondary px-3 py-2 text-sm text-secondary-foreground">
      <p className="mr-auto">
        {isAutomatic ? 'Registrata da sola: ogni dato era sicuro.' : 'Registrata dai campi del documento.'}
      </p>
      {isAutomatic && (
        <Button size="sm" disabled={isBusy} onClick={() => confirm.mutate(documentId, { onError: failed })}>
          Va bene
        </Button>
      )}
      <Button size="sm" variant="outline" disabled={isBusy} onClick={leaveOut}>
        Togli dal registro
      </Button>
    </div>
  )
}

type ScheduleProps = {
  schedule: Part
  userId: string
  isIncoming: boolean
  isOneOfMany: boolean
}

function ScheduleRow({ schedule, isOneOfMany, userId, isIncoming }: ScheduleProps) {
  const { id, due_on: dueOn, method, paid_on: paidOn, task_id: taskId, is_late: isLate, cents, currency } = schedule
  const pay = useMarkSchedulePaid(userId)
  const [today] = useState(() => romeDay(new Date()))
  const word = isIncoming ? 'Incassata' : 'Pagata'
  return (
    <li className="flex min-h-11 items-center gap-3 py-1">
      <span className="grid min-w-0 grid-cols-1 flex-1">
        <span className={isLate ? 'font-medium text-error' : 'font-medium'}>
          {dueOn ? shortDate(dueOn) : 'Senza scadenza'}
          {isLate && ' · scaduta'}
        </span>
        <span className="text-xs text-muted-foreground">
          {paidOn ? `✓ ${word.toLowerCase()} il ${shortDate(paidOn)}` : codeWords('methods', method)}
          {taskId && !paidOn && ' · promemoria attivo'}
        </span>
      </span>
      <span className="tabular">{formatMoney(cents, currency)}</span>
      {isOneOfMany && (
        <Button
          variant="ghost"
          size="sm"
          disabled={pay.isPending}
          onClick={() => pay.mutate({ id, paidOn: paidOn ? null : today }, { onError: failed })}
        >
          {paidOn ? 'Annulla' : word}
          <span className="sr-only"> la rata del {dueOn ? shortDate(dueOn) : 'giorno non detto'}</span>
        </Button>
      )}
    </li>
  )
}
