/** /documents/fatture: the invoices to pay and to be paid, the late ones first, and the papers that wait to be one. */
import { useQuery } from '@tanstack/react-query'
import { PackageIcon } from 'lucide-react'
import { useState } from 'react'
import { useSearchParams } from 'react-router'

import { Choice } from '@/components/choice'
import { DocumentsHeader } from '@/components/documents-header'
import { LoadError } from '@/components/load-error'
import { PageTitle } from '@/components/page-title'
import { Button } from '@/components/ui/button'
import { useUser } from '@/data/auth-context'
import { hasIssuedQuery } from '@/data/invoices'
import { unregisteredQuery } from '@/data/unregistered'
import { ExportMenu } from '@/features/invoices/export-menu'
import { Loading, Register } from '@/features/invoices/register'
import { WaitingList } from '@/features/invoices/waiting-list'
import { wishFrom } from '@/features/invoices/wish'
import { lazyDialog } from '@/lib/lazy-dialog'
import { romeDay } from '@/lib/rome-time'

const MonthPacketDialog = lazyDialog(() => import('@/features/invoices/month-packet-dialog'))

const EVER = '0001-01-01'

export default function InvoicesPage() {
  const { id: userId } = useUser()
  const [params, setParams] = useSearchParams()
  const [today] = useState(() => romeDay(new Date()))
  const isChosen = params.has('tipo')
  const issued = useQuery({ ...hasIssuedQuery(userId, EVER), enabled: !isChosen })
  // Who has issued none yet sees those that came in.
  const { wish, period } = wishFrom(params, today, issued.data === false || issued.isError ? 'passiva' : 'attiva')
  const packet = params.get('pacchetto')
  const isWaiting = params.get('tipo') === 'verificare'
  const isAsking = !isChosen && issued.isPending
  const { data: waiting, isError, refetch } = useQuery(unregisteredQuery(userId))

  function change(key: string, value: string) {
    setParams((former) => {
      const next = new URLSearchParams(former)
      if (value) next.set(key, value)
      else next.delete(key)
      return next
    })
  }

  return (
    <div className="column grid gap-5 py-6 sm:py-8">
      <PageTitle>Fatture</PageTitle>
      <DocumentsHeader current="invoices" title="Fatture">
        {!wish.contactId && (
          <Button variant="outline" onClick={() => change('pacchetto', 'scorso')}>
            <PackageIcon aria-hidden /> Per il commercialista
          </Button>
        )}
        {!wish.contactId && !isWaiting && <ExportMenu wish={wish} />}
      </DocumentsHeader>
      <Choice
        label="Fatture"
        value={isWaiting ? 'verificare' : wish.direction === 'attiva' ? 'attive' : 'passive'}
        options={[
          ['attive', 'Emesse'],
          ['passive', 'Ricevute'],
          ['verificare', waiting?.length ? `Da verificare (${waiting.length})` : 'Da verificare'],
        ]}
        onChange={(kind) => change('tipo', kind)}
      />
      {isAsking && <Loading />}
      {!isWaiting && !isAsking && (
        <Register wish={wish} period={period} today={today} userId={userId} onChange={change} />
      )}
      {isWaiting && waiting && <WaitingList documents={waiting} userId={userId} />}
      {isWaiting && !waiting && !isError && <Loading />}
      {isWaiting && !waiting && isError && (
        <LoadError
          text="Non riusciamo a leggere i documenti da verificare. I tuoi dati sono al sicuro: riprova tra un momento."
          onRetry={() => void refetch()}
        />
      )}
      {packet && (
        <MonthPacketDialog
          userId={userId}
          today={today}
          wanted={packet}
          onMonth={(month) => change('pacchetto', month)}
          onClose={() => change('pacchetto', '')}
        />
      )}
    </div>
  )
}
