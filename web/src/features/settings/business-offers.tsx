/** What the person's own invoices say of the business: filled in with a click, saved only by the person. */
import { useQuery } from '@tanstack/react-query'
import { useFormContext, useWatch } from 'react-hook-form'
import { Link } from 'react-router'

import { Button } from '@/components/ui/button'
import { type BusinessSuggestion, businessSuggestionsQuery, suggested } from '@/data/business'
import { paths } from '@/paths'
import { type BusinessField, businessFields, suggestionText } from '@/strings/business'
import { longDay } from '@/strings/days'

type Props = { userId: string; of: readonly BusinessField[] }

/** Inside a form that has these fields. */
export function BusinessOffers({ userId, of }: Props) {
  const { data = [] } = useQuery(businessSuggestionsQuery(userId))
  const { getValues, setFocus, setValue } = useFormContext<Record<string, string>>()
  // Looks again whenever something is typed.
  useWatch()
  const typed = new Set(Object.values(getValues()).map(bare))
  const offers = data.filter((each) => isOneOf(of, each.field) && !partsOf(each).every((part) => typed.has(bare(part))))

  async function take(offer: BusinessSuggestion) {
    const values = Object.entries(await suggested(offer))
    for (const [name, value] of values) setValue(name, value, { shouldDirty: true, shouldValidate: true })
    const [first] = values
    if (first) setFocus(first[0])
  }

  if (offers.length === 0) return null
  return (
    <section className="grid gap-1 rounded-md bg-muted p-4">
      <h3 className="text-sm font-semibold">Copia dai tuoi documenti</h3>
      <ul className="divide-y">
        {offers.map((offer) => (
          <li
            key={`${offer.field} ${offer.document_id} ${suggestionText(offer)}`}
            className="flex items-center gap-3 py-2"
          >
            <div className="grid min-w-0 flex-1 gap-0.5 text-sm">
              <span className="text-muted-foreground">{businessFields[offer.field as BusinessField]}</span>
              <span className="font-medium break-words tabular">{suggestionText(offer)}</span>
              <Link
                to={paths.document(offer.document_id)}
                className="text-muted-foreground underline underline-offset-2"
              >
                dalla fattura {offer.number}
                {offer.sender && ` di ${offer.sender}`} del {longDay(offer.issued_on)}
              </Link>
            </div>
            <Button
              type="button"
              size="sm"
              variant="outline"
              aria-label={`Usa ${suggestionText(offer)}`}
              onClick={() => void take(offer)}
            >
              Usa
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
}

const isOneOf = (of: readonly string[], field: string) => of.includes(field)

const bare = (text: string) => text.replaceAll(/\s/g, '').toLowerCase()

const partsOf = ({ value }: BusinessSuggestion): string[] =>
  typeof value === 'object' && value !== null ? Object.values(value).map(String) : [String(value)]
