import type { InvoiceContent } from '@/data/invoice-content'
import { codeWords } from '@/strings/invoice-codes'

type Party = InvoiceContent['supplier']

/** Who sells and who buys, beside each other where there is room. */
export function Parties({ content: { supplier, customer, intermediary } }: { content: InvoiceContent }) {
  return (
    <div className="grid gap-5 @xl:grid-cols-2">
      <PartyBlock title="Fornitore" party={supplier} />
      <PartyBlock title="Cliente" party={customer} />
      {intermediary && <PartyBlock title="Emessa tramite" party={intermediary} />}
    </div>
  )
}

function PartyBlock({ title, party }: { title: string; party: Party }) {
  const { name, vat_country: country, vat_number: vat, tax_code: taxCode, address, regime, email, phone } = party
  const street = [address?.street, address?.number].filter(Boolean).join(' ')
  const town = [address?.postal_code, address?.city, address?.province && `(${address.province})`]
    .filter(Boolean)
    .join(' ')
  const abroad = address?.country && address.country !== 'IT' ? address.country : null
  return (
    <section className="grid content-start gap-0.5 text-sm break-words">
      <h3 className="text-xs font-medium text-muted-foreground">{title}</h3>
      <p className="text-base font-semibold">{name}</p>
      {street && <p>{street}</p>}
      {(town || abroad) && <p>{[town, abroad].filter(Boolean).join(' · ')}</p>}
      {vat && (
        <p className="tabular">
          P.IVA {country}
          {vat}
        </p>
      )}
      {taxCode && taxCode !== vat && <p className="tabular">C.F. {taxCode}</p>}
      {regime && regime !== 'RF01' && <p className="text-muted-foreground">{codeWords('regimes', regime)}</p>}
      {(email ?? phone) && <p className="text-muted-foreground">{[email, phone].filter(Boolean).join(' · ')}</p>}
    </section>
  )
}
