/** What became of each contact of a campaign, and those who did not get it as CSV. */
import { useQuery } from '@tanstack/react-query'
import { DownloadIcon } from 'lucide-react'
import { Link } from 'react-router'

import { LoadError } from '@/components/load-error'
import { Button } from '@/components/ui/button'
import { Skeleton } from '@/components/ui/skeleton'
import { type CampaignProgress, campaignRecipientsQuery } from '@/data/campaigns'
import { csvOf } from '@/lib/csv'
import { saveFile } from '@/lib/save-file'
import { paths } from '@/paths'
import { isMissed, recipientReason, recipientState } from '@/strings/campaigns'

/** So many are shown; the file has all. */
const MOST_SHOWN = 200

export function CampaignRecipients({ campaign }: { campaign: CampaignProgress }) {
  const { data, isError, refetch } = useQuery(campaignRecipientsQuery(campaign))
  if (isError && !data) return <LoadError text="Non riusciamo a leggere i contatti." onRetry={() => void refetch()} />
  if (!data) return <Skeleton aria-busy className="h-24" />
  const missed = data.filter(isMissed)
  // Those who did not get it first: they are what is looked for.
  const shown = [...missed, ...data.filter((each) => !isMissed(each))].slice(0, MOST_SHOWN)

  function onDownload() {
    const rows = missed.map((each) => [each.name, recipientState(each), recipientReason(campaign.channel, each)])
    saveFile('non-ricevuto.csv', csvOf(['Contatto', 'Stato', 'Motivo'], rows), 'text/csv')
  }

  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <ul aria-label="Contatti dell’invio" className="grid max-h-72 gap-1 overflow-y-auto rounded-md border p-3">
        {shown.map((each) => (
          <li key={each.contact_id} className="flex flex-wrap justify-between gap-x-3">
            <Link className="font-medium break-words hover:underline" to={paths.crmContact(each.contact_id)}>
              {each.name}
            </Link>
            <span className="text-muted-foreground">
              {[recipientState(each), recipientReason(campaign.channel, each)].filter(Boolean).join(': ')}
            </span>
          </li>
        ))}
      </ul>
      {data.length > MOST_SHOWN && (
        <p className="text-muted-foreground">
          Qui ci sono i primi {MOST_SHOWN} di {data.length}.
        </p>
      )}
      {missed.length > 0 && (
        <Button variant="outline" size="sm" className="justify-self-start" onClick={onDownload}>
          <DownloadIcon aria-hidden /> Scarica chi non l’ha ricevuto
        </Button>
      )}
    </div>
  )
}
