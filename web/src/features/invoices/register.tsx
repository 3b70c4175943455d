/** The invoices of one direction: sums by month, filters, and the list; the late ones first. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { ReceiptTextIcon, XIcon } from 'lucide-react'
import { Link } from 'react-router'

import { EmptyState } from '@/components/empty-state'
import { LoadError } from '@/components/load-error'
import { MoreButton } from '@/components/more-button'
import { PartiesLine } from '@/components/parties-line'
import { Button } from '@/components/ui/button'
import { Label } from '@/components/ui/label'
import { Select } from '@/components/ui/select'
import { Skeleton } from '@/components/ui/skeleton'
import { UnregisteredLine } from '@/components/unregistered-line'
import { contactQuery } from '@/data/contacts'
import { dueDatesQuery, registerQuery, type RegisterWish } from '@/data/invoices'
import { DueChart } from '@/features/invoices/due-chart'
import { InvoiceList } from '@/features/invoices/invoice-list'
import { byCurrency, MONTHS_BEFORE } from '@/features/invoices/months'
import { type Period, periods, states } from '@/features/invoices/wish'
import { addMonths } from '@/lib/rome-time'
import { paths } from '@/paths'

type Props = {
  wish: RegisterWish
  period: Period
  today: string
  userId: string
  onChange: (key: string, value: string) => void
}

export function Register({ wish, period, today, userId, onChange }: Props) {
  const query = useInfiniteQuery(registerQuery(userId, wish))
  const { data: dates } = useQuery({
    ...dueDatesQuery(userId, wish.direction, addMonths(today, -MONTHS_BEFORE)),
    // The months add up everybody.
    enabled: !wish.contactId,
  })
  const invoices = query.data
  const isIncoming = wish.direction === 'attiva'
  return (
    <>
      {wish.contactId && <OfContact id={wish.contactId} onRemove={() => onChange('contatto', '')} />}
      {!wish.contactId && <PartiesLine userId={userId} />}
      <UnregisteredLine
        userId={userId}
        direction={wish.direction}
        {...(wish.contactId && { contactIds: [wish.contactId] })}
      />
      {byCurrency((!wish.contactId && dates) || []).map(([currency, own]) => (
        <DueChart key={currency} dates={own} currency={currency} today={today} isIncoming={isIncoming} />
      ))}
      <div className="grid grid-cols-2 gap-3 sm:max-w-md">
        <Filter
          label="Stato"
          value={wish.state}
          options={states(isIncoming)}
          onChange={(value) => onChange('stato', value)}
        />
        <Filter label="Periodo" value={period} options={periods} onChange={(value) => onChange('periodo', value)} />
      </div>
      {query.isPending && <Loading />}
      {query.isError && !invoices && (
        <LoadError
          text="Non riusciamo a leggere le fatture. I tuoi dati sono al sicuro: riprova tra un momento."
          onRetry={() => void query.refetch()}
        />
      )}
      {invoices?.length === 0 && (
        <Nothing isWhole={wish.state === 'tutte' && period === 'tutto' && !wish.contactId} isIncoming={isIncoming} />
      )}
      {invoices && invoices.length > 0 && <InvoiceList invoices={invoices} userId={userId} isIncoming={isIncoming} />}
      <MoreButton query={query}>Mostra altre fatture</MoreButton>
    </>
  )
}

/** Whose invoices these are, and the way back to all. */
function OfContact({ id, onRemove }: { id: string; onRemove: () => void }) {
  const { data: contact } = useQuery(contactQuery(id))
  const name = contact?.name ?? 'questo contatto'
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1 rounded-md bg-secondary py-1 pr-1 pl-4 text-sm">
      <span className="mr-auto">
        Solo le fatture di{' '}
        <Link to={paths.crmContact(id)} className="font-semibold hover:underline">
          {name}
        </Link>
      </span>
      <Button variant="ghost" size="sm" onClick={onRemove}>
        <XIcon aria-hidden /> Mostra tutti i contatti
      </Button>
    </p>
  )
}

type FilterProps = {
  label: string
  value: string
  options: Record<string, string>
  onChange: (value: string) => void
}

function Filter({ label, value, options, onChange }: FilterProps) {
  const id = `filtro-${label.toLowerCase()}`
  return (
    <div className="grid gap-1.5">
      <Label htmlFor={id}>{label}</Label>
      <Select id={id} value={value} onChange={(event) => onChange(event.target.value)}>
        {Object.entries(options).map(([key, text]) => (
          <option key={key} value={key}>
            {text}
          </option>
        ))}
      </Select>
    </div>
  )
}

function Nothing({ isWhole, isIncoming }: { isWhole: boolean; isIncoming: boolean }) {
  if (!isWhole)
    return (
      <EmptyState
        isAnswer
        icon={ReceiptTextIcon}
        title={isIncoming ? 'Nessuna fattura attiva con questi filtri' : 'Nessuna fattura passiva con questi filtri'}
        text="Quelle che carichi tra i documenti entrano qui da sole, con le loro scadenze."
      >
        <Button asChild variant="outline">
          <Link to={paths.documents}>Carica una fattura</Link>
        </Button>
      </EmptyState>
    )
  return (
    <EmptyState
      icon={ReceiptTextIcon}
      title="Ancora nessuna fattura"
      text="Carica un file XML, P7M o ZIP di fatture elettroniche, o la scansione di una fattura: qui trovi quanto, a chi ed entro quando."
    >
      <Button asChild>
        <Link to={paths.documents}>Carica una fattura</Link>
      </Button>
    </EmptyState>
  )
}

export function Loading() {
  return (
    <div aria-busy className="grid gap-3">
      {['a', 'b', 'c', 'd'].map((key) => (
        <Skeleton key={key} className="h-16" />
      ))}
    </div>
  )
}
