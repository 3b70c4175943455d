import { useQuery } from '@tanstack/react-query'
import { CircleCheckIcon, CircleXIcon } from 'lucide-react'

import { Card, CardDescription, CardHeader, CardTitle } from '@/components/ui/card'
import { useUser } from '@/data/auth-context'
import { consentTimelineQuery } from '@/data/privacy'
import { Entry, EntryList } from '@/features/settings/entry-list'
import { fullDate } from '@/strings/dates'
import { consentText } from '@/strings/privacy'

/** «Consensi»: what was agreed to and refused, when, and by which words. */
export function ConsentsCard() {
  const { id: userId } = useUser()
  const query = useQuery(consentTimelineQuery(userId))
  return (
    <Card>
      <CardHeader>
        <CardTitle>I tuoi consensi</CardTitle>
        <CardDescription>
          Ogni sì e ogni no, con la data e il testo che hai letto. Per ritirarne uno bastano gli interruttori di questa
          pagina. La risposta al banner dei cookie resta nel browser in cui la dai.
        </CardDescription>
      </CardHeader>
      <EntryList
        query={query}
        label="I tuoi consensi"
        empty="Nessuno."
        error="Non riusciamo a leggere i tuoi consensi in questo momento."
        renderRow={(consent) => {
          const { title, text } = consentText(consent)
          return (
            <Entry
              key={`${consent.at} ${consent.purpose} ${consent.host}`}
              icon={consent.is_allowed ? CircleCheckIcon : CircleXIcon}
              title={title}
              text={
                <>
                  <time dateTime={consent.at}>{fullDate(consent.at)}</time>
                  {text && ` · ${text}`}
                </>
              }
            />
          )
        }}
      />
    </Card>
  )
}
