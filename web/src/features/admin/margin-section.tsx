/** What each action brought and cost in thirty days, and the rates of providers from which the cost is reckoned. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'

import { LoadError } from '@/components/load-error'
import { Button } from '@/components/ui/button'
import { Skeleton } from '@/components/ui/skeleton'
import { aiRatesQuery, type Report, type ReportRow } from '@/data/admin'
import { type CreditPrice, useCatalog } from '@/data/catalog'
import { RateDialog } from '@/features/admin/rate-dialog'
import { ReportTable } from '@/features/admin/report-table'
import { actionName, UNKNOWN_COST } from '@/strings/admin'

type Model = { host: string; model: string }

export function MarginSection({ tables }: { tables: Report['tables'] }) {
  const { credit_prices: prices } = useCatalog()
  const rates = useQuery(aiRatesQuery())
  const [model, setModel] = useState<Model>()
  const unpriced = tables.unpriced ?? []
  return (
    <>
      <ReportTable
        title="Margine per azione in 30 giorni"
        rows={(tables.margins ?? []).map((row) => marginRow(row, prices))}
        // What has to be seen on a phone comes first.
        shown={[
          'name',
          'judgement',
          'margin',
          'charged_cents',
          'cost',
          'answers',
          'credits',
          'paid_credits',
          'uncounted',
        ]}
        empty="Nessuna azione con almeno cinque persone."
      />
      <p className="-mt-3 max-w-2xl text-sm text-pretty text-muted-foreground">
        L’incasso è quanto è stato pagato davvero per i crediti usati: quelli gratuiti valgono 0 €. Il costo è quello
        del fornitore, anche per le risposte non riuscite: dai token, e dai minuti per le trascrizioni. Dove il
        fornitore non ha contato niente, «senza conteggio», il costo non entra.
      </p>
      {unpriced.length > 0 && (
        <p className="rounded-md bg-warning-tint p-4 text-sm">
          Manca la tariffa di {unpriced.map(({ host, model: name }) => `${name} (${host})`).join(', ')}: senza, il costo
          non è noto.
        </p>
      )}
      {rates.isPending && <Skeleton className="h-32" />}
      {rates.isError && !rates.data && (
        <LoadError text="Non siamo riusciti a leggere le tariffe." onRetry={() => void rates.refetch()} />
      )}
      {rates.data && (
        <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
          <ReportTable
            title="Tariffe dei fornitori di IA"
            rows={rates.data}
            shown={['model', 'host', 'valid_from', 'input_euros', 'output_euros', 'minute_euros', 'source']}
            empty="Nessuna tariffa: finché manca, il costo delle risposte non è noto."
          />
          <Button
            variant="outline"
            className="justify-self-start"
            onClick={() => setModel({ host: String(unpriced[0]?.host ?? ''), model: String(unpriced[0]?.model ?? '') })}
          >
            Nuova tariffa
          </Button>
        </div>
      )}
      {model && <RateDialog {...model} onClose={() => setModel(undefined)} />}
    </>
  )
}

const marginRow = (row: ReportRow, prices: CreditPrice[]): ReportRow =>
  Object.assign({}, row, {
    name: actionName(prices, String(row.name)),
    cost: row.cost_cents ?? UNKNOWN_COST,
    margin: row.margin_cents ?? UNKNOWN_COST,
    judgement: judgementOf(row),
  })

function judgementOf({ margin_cents: margin }: ReportRow): string {
  if (typeof margin !== 'number') return UNKNOWN_COST
  return margin < 0 ? 'in perdita' : 'in attivo'
}
