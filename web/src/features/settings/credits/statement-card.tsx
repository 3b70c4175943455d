import { useInfiniteQuery, useMutation } from '@tanstack/react-query'
import { DownloadIcon } from 'lucide-react'
import { toast } from 'sonner'

import { LoadError } from '@/components/load-error'
import { MoreButton } from '@/components/more-button'
import { Button } from '@/components/ui/button'
import { Card, CardDescription, CardHeader, CardTitle } from '@/components/ui/card'
import { Skeleton } from '@/components/ui/skeleton'
import { Spinner } from '@/components/ui/spinner'
import { useCatalog } from '@/data/catalog'
import { fetchWholeStatement, statementQuery } from '@/data/credits'
import { BalanceLine } from '@/features/settings/credits/balance-line'
import { statementCsv } from '@/features/settings/credits/statement-csv'
import { StatementTable } from '@/features/settings/credits/statement-table'
import { saveFile } from '@/lib/save-file'

/** Every movement of credits: what, when, from which lot, and what was left; also as a file. */
export function StatementCard({ userId }: { userId: string }) {
  const query = useInfiniteQuery(statementQuery(userId))
  const { credit_prices: prices } = useCatalog()
  const save = useMutation({
    mutationFn: async () => statementCsv(await fetchWholeStatement(), prices),
    onSuccess: (text) => saveFile('socio-estratto-crediti.csv', text, 'text/csv'),
    onError: () => toast.error('Non siamo riusciti a preparare il file. Riprova.'),
  })
  const { data: entries, isPending, refetch } = query

  return (
    <Card>
      <div className="flex flex-wrap items-start justify-between gap-3">
        <CardHeader>
          <CardTitle>Estratto conto</CardTitle>
          <CardDescription>Ogni movimento, dal più recente.</CardDescription>
        </CardHeader>
        {entries && entries.length > 0 && (
          <Button variant="outline" size="sm" disabled={save.isPending} onClick={() => save.mutate()}>
            {save.isPending ? <Spinner aria-hidden /> : <DownloadIcon aria-hidden />}
            Scarica CSV
          </Button>
        )}
      </div>
      {isPending && <Waiting />}
      {!isPending && !entries && (
        <LoadError text="Non riusciamo a leggere l’estratto conto." onRetry={() => void refetch()} />
      )}
      {entries?.length === 0 && (
        <p className="text-sm text-muted-foreground">
          Nessun movimento. Quando ricevi o usi dei crediti, lo leggi qui.
        </p>
      )}
      {entries && <BalanceLine entries={entries} />}
      {entries && entries.length > 0 && <StatementTable entries={entries} prices={prices} />}
      <MoreButton query={query}>Mostra altri movimenti</MoreButton>
      {query.isFetchNextPageError && (
        <LoadError text="Non riusciamo a leggere gli altri movimenti." onRetry={() => void query.fetchNextPage()} />
      )}
    </Card>
  )
}

function Waiting() {
  return (
    <div aria-busy className="grid gap-3">
      {['a', 'b', 'c'].map((key) => (
        <Skeleton key={key} className="h-10" />
      ))}
    </div>
  )
}
