/** What happened last with the contacts. */
import { Link } from 'react-router'

import { Card, CardTitle } from '@/components/ui/card'
import type { Activity } from '@/data/home'
import { paths } from '@/paths'
import { fullDate, relativeTime } from '@/strings/dates'
import { activityKinds } from '@/strings/home'

/** The row itself where it has a page, else its contact. */
function rowOf({ ref_type: type, ref_id: id, contact_id: contactId }: Activity): string {
  if (type === 'document') return paths.document(id)
  if (type === 'task') return paths.task(id)
  if (type === 'deal') return paths.crmDeal(id)
  return contactId ? paths.crmContact(contactId) : paths.crm
}

/** «Nota: preferisce il mattino», «Attività completata: chiamare Rossi». */
function text({ kind, title, body }: Activity): string {
  const what = activityKinds[kind] ?? ''
  const name = kind === 'trattativa' ? `${what}: ${title}` : title
  if (!body) return name
  return kind === 'trattativa' ? `${name} in «${body}»` : `${name}: ${body}`
}

export function ActivityCard({ activity }: { activity: Activity[] }) {
  return (
    <Card className="gap-3">
      <CardTitle>Ultime attività</CardTitle>
      {activity.length === 0 && (
        <p className="text-sm text-muted-foreground">
          Chiamate, note, documenti e pagamenti dei tuoi contatti compaiono qui.
        </p>
      )}
      <ol className="divide-y text-sm">
        {activity.map((one) => (
          <li key={one.id} className="grid gap-0.5 py-2.5 first:pt-0 last:pb-0">
            <Link to={rowOf(one)} className="line-clamp-2 break-words hover:underline">
              {text(one)}
            </Link>
            <p className="text-xs text-muted-foreground">
              {one.contact && `${one.contact} · `}
              <time dateTime={one.at} title={fullDate(one.at)}>
                {relativeTime(one.at)}
              </time>
            </p>
          </li>
        ))}
      </ol>
    </Card>
  )
}
