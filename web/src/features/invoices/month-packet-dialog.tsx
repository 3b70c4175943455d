/** A month for the accountant as one file: what will be in it, what is missing and the way to mend it, and the download. */
import { useMutation, useQuery } from '@tanstack/react-query'
import { CircleAlertIcon, DownloadIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { toast } from 'sonner'

import { LoadError } from '@/components/load-error'
import { Button } from '@/components/ui/button'
import { Dialog, DialogContent, DialogDescription, DialogHeader, DialogTitle } from '@/components/ui/dialog'
import { Label } from '@/components/ui/label'
import { Select } from '@/components/ui/select'
import { Skeleton } from '@/components/ui/skeleton'
import { Spinner } from '@/components/ui/spinner'
import { type FindingKind, monthPacket, monthPacketQuery, type PacketSum } from '@/data/month-packet'
import { addMonths } from '@/lib/rome-time'
import { saveBlob } from '@/lib/save-file'
import { paths } from '@/paths'
import { countText } from '@/strings/home'
import { formatMoney } from '@/strings/numbers'
import { monthAndYear } from '@/strings/tasks'

const MONTHS = 13
/** Where what is missing is mended. */
const places: Record<FindingKind, string> = {
  registra: paths.invoicesToCheck,
  controlla: paths.documentsToCheck,
  collega: paths.crmLinking,
  mancanti: paths.documents,
  file: paths.documents,
}

type Props = {
  userId: string
  today: string
  /** 2026-10; anything else is the last month. */
  wanted: string
  onMonth: (month: string) => void
  onClose: () => void
}

export default function MonthPacketDialog({ userId, today, wanted, onMonth, onClose }: Props) {
  const last = addMonths(today, -1).slice(0, 7)
  const month = /^\d{4}-(0[1-9]|1[0-2])$/.test(wanted) ? wanted : last
  const months = new Set(Array.from({ length: MONTHS }, (_, ago) => addMonths(today, -ago).slice(0, 7)))
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent>
        <DialogHeader>
          <DialogTitle>Pacchetto per il commercialista</DialogTitle>
          <DialogDescription>
            Un solo file ZIP con i documenti del mese, un registro per Excel e l’elenco di quello che manca.
          </DialogDescription>
        </DialogHeader>
        <div className="grid gap-1.5">
          <Label htmlFor="mese-pacchetto">Mese</Label>
          <Select id="mese-pacchetto" value={month} onChange={({ target }) => onMonth(target.value)}>
            {[...months.add(month)].map((each) => (
              <option key={each} value={each}>
                {monthAndYear(`${each}-01`)}
              </option>
            ))}
          </Select>
        </div>
        <Contents key={month} userId={userId} month={month} onClose={onClose} />
      </DialogContent>
    </Dialog>
  )
}

function Contents({ userId, month, onClose }: Pick<Props, 'userId' | 'onClose'> & { month: string }) {
  const { data, isError, refetch } = useQuery(monthPacketQuery(userId, month))
  const save = useMutation({
    mutationFn: () => monthPacket(month),
    onSuccess: (file) => {
      saveBlob(file.name || `Pacchetto-${month}.zip`, file)
      toast.success('Pacchetto scaricato: ora mandalo al tuo commercialista')
      onClose()
    },
    onError: () => toast.error('Non siamo riusciti a preparare il pacchetto: riprova'),
  })
  if (!data && isError)
    return <LoadError text="Non riusciamo a leggere questo mese: riprova." onRetry={() => void refetch()} />
  if (!data) return <Skeleton aria-busy className="h-40" />
  const { sums, findings, papers } = data
  if (sums.length + papers.length === 0)
    return <p className="text-sm">Di {monthAndYear(`${month}-01`)} non c’è ancora niente da mandare.</p>
  const waiting = papers.filter(({ is_waiting: isWaiting }) => isWaiting).length
  return (
    <>
      <dl className="grid divide-y rounded-md border text-sm">
        {sums.map((sum) => (
          <Line key={`${labelOf(sum)} ${sum.currency}`} label={labelOf(sum)}>
            {countText(sum.times, 'fattura', 'fatture')} · {formatMoney(sum.total_cents, sum.currency)}
          </Line>
        ))}
        {waiting > 0 && <Line label="Da registrare">{countText(waiting, 'documento', 'documenti')}</Line>}
        {papers.length > waiting && (
          <Line label="Altri documenti">{countText(papers.length - waiting, 'documento', 'documenti')}</Line>
        )}
      </dl>
      {findings.length > 0 && (
        <ul aria-label="Prima di mandarlo" className="grid gap-2 rounded-md bg-warning-tint px-3 py-2 text-sm">
          {findings.map(({ kind, title, body }) => (
            <li key={kind} className="flex items-start gap-2">
              <CircleAlertIcon aria-hidden className="mt-0.5 size-4 shrink-0" />
              <span className="min-w-0 break-words">
                <Link to={places[kind]} className="font-medium underline">
                  {title}
                </Link>
                <span className="line-clamp-3">{body}</span>
              </span>
            </li>
          ))}
        </ul>
      )}
      <Button disabled={save.isPending} onClick={() => save.mutate()}>
        {save.isPending ? <Spinner aria-hidden /> : <DownloadIcon aria-hidden />}
        {save.isPending ? 'Preparo il pacchetto…' : 'Scarica'}
      </Button>
    </>
  )
}

function Line({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex items-baseline justify-between gap-3 px-3 py-2">
      <dt>{label}</dt>
      <dd className="text-right font-semibold tabular">{children}</dd>
    </div>
  )
}

function labelOf({ direction, is_self_invoice: isSelf }: PacketSum): string {
  if (isSelf) return direction === 'attiva' ? 'Autofatture emesse' : 'Autofatture ricevute'
  return direction === 'attiva' ? 'Emesse' : 'Ricevute'
}
