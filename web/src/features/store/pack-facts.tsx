/** What stands under each pack: the price of a credit, what credits do, and the buyer's rights. */
import { Link } from 'react-router'

import { useAuth } from '@/data/auth-context'
import { type Catalog, type Pack, useCatalog } from '@/data/catalog'
import { totalCredits } from '@/lib/pack'
import { paths } from '@/paths'
import { formatCredits, formatUnitPrice } from '@/strings/numbers'

/** «100 messaggi in chat, 50 risposte approfondite o 33 consigli», at the highest price of each. */
function whatCreditsDo(credits: number, { credit_prices }: Catalog): string {
  const times = (action: string) => {
    const price = credit_prices.find((each) => each.action === action)
    return price?.max_credits ? formatCredits(Math.floor(credits / price.max_credits)) : '–'
  }
  return `${times('chat')} messaggi in chat, ${times('chat_deep')} risposte approfondite o ${times('advice')} consigli dei cinque agenti`
}

export function PackFacts({ pack }: { pack: Pack }) {
  const { user } = useAuth()
  const catalog = useCatalog()
  const { claims } = catalog
  return (
    <dl className="grid gap-2 border-t pt-4 text-sm [&_dd]:text-muted-foreground [&_dt]:font-medium">
      <div>
        <dt>{formatUnitPrice(pack.price_cents / totalCredits(pack))} a credito</dt>
        <dd>Prezzo IVA inclusa, pagamento unico.</dd>
      </div>
      <div>
        <dt>Con 100 crediti</dt>
        <dd>{whatCreditsDo(100, catalog)}.</dd>
      </div>
      <div>
        <dt>{claims['validity.packs'].text}</dt>
        <dd>{claims['validity.packs'].base}.</dd>
      </div>
      <div>
        <dt>{claims['guarantee.days'].text}</dt>
        <dd>
          Ti rimborsiamo i crediti non usati:{' '}
          <Link
            to={user ? paths.settingsCredits : paths.termsOfService}
            className="underline underline-offset-2 hover:text-foreground"
          >
            come recedere
          </Link>
          .
        </dd>
      </div>
    </dl>
  )
}
