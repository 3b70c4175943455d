import { Link } from 'react-router'

import { Button } from '@/components/ui/button'
import { Card, CardDescription, CardHeader, CardTitle } from '@/components/ui/card'
import { useCatalog } from '@/data/catalog'
import { paths } from '@/paths'
import { isSoldToday } from '@/strings/capabilities'
import { priceOf } from '@/strings/credits'

/** What each action costs; the catalogue of the build stands in while the server is asked, so it is never empty. */
export function PriceListCard() {
  const { credit_prices: prices } = useCatalog()
  return (
    <Card>
      <CardHeader>
        <CardTitle>Listino</CardTitle>
        <CardDescription>Quanto costa ogni azione. Prima di ognuna leggi sempre il prezzo.</CardDescription>
      </CardHeader>
      <ul aria-label="Listino" className="divide-y text-sm">
        {prices.filter(isSoldToday).map((price) => (
          <li key={price.action} className="flex items-baseline justify-between gap-4 py-2.5">
            <span className="grid">
              <span>{price.name}</span>
              {price.note && <span className="text-xs text-muted-foreground">{price.note}</span>}
            </span>
            <span className="font-medium whitespace-nowrap tabular">{priceOf(price)}</span>
          </li>
        ))}
      </ul>
      <Button variant="outline" asChild className="self-start">
        <Link to={paths.pricing}>Come funzionano i crediti</Link>
      </Button>
    </Card>
  )
}
