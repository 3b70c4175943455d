/** What WhatsApp costs this month, counted from what Meta says of each message. */
import { useQuery } from '@tanstack/react-query'

import { LoadError } from '@/components/load-error'
import { Skeleton } from '@/components/ui/skeleton'
import { whatsappUsageQuery } from '@/data/whatsapp'
import { priceCategory } from '@/strings/whatsapp'

/** Meta's free answers of a month for each number. */
const FREE_ANSWERS = 1000

function price(row: { unpriced: number; currency: string | null; amount_micros: number }): string {
  if (row.unpriced > 0) return 'prezzo non noto'
  if (row.amount_micros === 0 || !row.currency) return 'gratis'
  return new Intl.NumberFormat('it-IT', { style: 'currency', currency: row.currency }).format(row.amount_micros / 1e6)
}

export function WhatsappUsage({ userId }: { userId: string }) {
  const { data, isError, refetch } = useQuery(whatsappUsageQuery(userId))
  const free = data?.filter(({ kind }) => kind === 'free_customer_service').reduce((sum, row) => sum + row.messages, 0)
  return (
    <section aria-label="Questo mese" className="grid gap-2 text-sm">
      <h3 className="font-medium">Questo mese</h3>
      {isError && !data && <LoadError text="Non riusciamo a leggere i costi." onRetry={() => void refetch()} />}
      {!data && !isError && <Skeleton aria-busy className="h-10" />}
      {data && (
        <>
          <p>
            Risposte gratuite: {free} di {FREE_ANSWERS}
          </p>
          <ul className="grid gap-1">
            {data.map((row) => (
              <li key={`${row.category} ${row.kind} ${row.currency}`}>
                {priceCategory(row.category)}: {row.messages}, {price(row)}
              </li>
            ))}
          </ul>
          <p className="text-muted-foreground">
            Meta addebita i messaggi direttamente a te: qui li contiamo come li dichiara.
          </p>
        </>
      )}
    </section>
  )
}
